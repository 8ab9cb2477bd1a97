// Templates, named beans and named data formats of a document.
import { f, type EntityShape } from "@sluice/model";

export const routeTemplate: EntityShape = {
  name: "routeTemplate",
  title: "Route template",
  summary: "A route with parameters, instantiated by templatedRoute.",
  group: "routing",
  since: "0.1",
  // Its {{parameters}} get their values when the template is used, so it is bound then.
  raw: true,
  options: {},
};

export const beanFields = {
  name: f.string({ doc: "Name that other elements use to refer to it.", required: true }),
  type: f.string({ doc: "Type of the bean, for example `#class:org.apache.camel.processor.aggregate.StringAggregationStrategy`.", required: true }),
  properties: f.parameters({ doc: "Properties of the bean; nested properties can be written as mappings.", default: {}, nested: true }),
  constructors: f.parameters({ doc: "Constructor arguments by position, starting at 0, as in `#class:X(a,b)`.", default: {}, group: "advanced" }),
  initMethod: f.string({ doc: "Accepted but ignored: it refers to a Java method.", group: "advanced" }),
  destroyMethod: f.string({ doc: "Accepted but ignored: it refers to a Java method.", group: "advanced" }),
  scriptPropertyPlaceholders: f.boolean({ doc: "Accepted but ignored: beans cannot be created by scripts.", group: "advanced" }),
  builderClass: f.unsupported("builderClass refers to a Java class; set the bean's properties"),
  builderMethod: f.string({ doc: "Accepted but ignored: it refers to a Java method.", group: "advanced" }),
  factoryBean: f.unsupported("factoryBean refers to a Java object; set the bean's properties"),
  factoryMethod: f.unsupported("factoryMethod refers to a Java method; set the bean's properties"),
  script: f.unsupported("a bean cannot be created by a script; ask the operator to supply a function (SERVICE_FUNCTIONS)"),
  scriptLanguage: f.unsupported("a bean cannot be created by a script; ask the operator to supply a function (SERVICE_FUNCTIONS)"),
} as const;

export const templateBeans = f.list(f.object(beanFields, { doc: "One bean.", required: true }), {
  doc: "Beans of this route only; the template refers to them as `{{name}}`.",
  default: [],
});

export const templatedRouteFields = {
  routeTemplateRef: f.string({ doc: "Id of the template.", required: true }),
  routeId: f.string({ doc: "Id of the new route." }),
  prefixId: f.string({ doc: "Accepted but ignored: the step ids are those of the template." }),
  group: f.string({ doc: "Accepted but ignored: the route has the group of the template." }),
  parameters: f.list(
    f.object(
      { name: f.string({ doc: "Name of the parameter.", required: true }), value: f.string({ doc: "Value of the parameter.", default: "" }) },
      { doc: "One parameter.", required: true },
    ),
    {
      doc: "Values of the template's parameters.",
      default: [],
    },
  ),
  beans: templateBeans,
} as const;

export const templatedRoute: EntityShape = {
  name: "templatedRoute",
  title: "Templated route",
  summary: "Creates a route from a template.",
  group: "routing",
  since: "0.1",
  options: templatedRouteFields,
};

export const beans: EntityShape = {
  name: "beans",
  title: "Beans",
  summary: "Named objects that routes refer to.",
  group: "registry",
  since: "0.1",
  many: true,
  options: beanFields,
};

export const dataFormats: EntityShape = {
  name: "dataFormats",
  title: "Data formats",
  summary: "Named data formats, used as `custom: {ref: name}`.",
  group: "registry",
  since: "0.1",
  many: true,
  options: { id: f.string({ doc: "Name that other elements use to refer to it." }), format: f.format({ doc: "The format.", required: true }) },
};
