// Templates, named beans and named data formats of a document.
import { f, type EntityShape } from "@sluice/model";

export const routeTemplate: EntityShape = {
  name: "routeTemplate",
  title: "Route template",
  summary: "A route with parameters, made real by templatedRoute.",
  group: "routing",
  since: "0.1",
  // Its {{parameters}} get their values when the template is used, so it is read then.
  raw: true,
  options: {},
};

export const templatedRouteFields = {
  routeTemplateRef: f.string({ doc: "Id of the template.", required: true }),
  routeId: f.string({ doc: "Id of the route to make." }),
  prefixId: f.string({ doc: "Put before the ids of the steps." }),
  group: f.string({ doc: "Group of the route to make." }),
  parameters: f.list(
    f.object({ name: f.string({ doc: "Name.", required: true }), value: f.string({ doc: "Value.", default: "" }) }, { doc: "One parameter.", required: true }),
    {
      doc: "Values of the template's parameters.",
      default: [],
    },
  ),
} as const;

export const templatedRoute: EntityShape = {
  name: "templatedRoute",
  title: "Templated route",
  summary: "Makes a route from a template.",
  group: "routing",
  since: "0.1",
  options: templatedRouteFields,
};

export const beanFields = {
  name: f.string({ doc: "The name it is referred to by.", required: true }),
  type: f.string({ doc: "What it is, e.g. `#class:org.apache.camel.processor.aggregate.StringAggregationStrategy`.", required: true }),
  properties: f.parameters({ doc: "Its settings.", default: {} }),
} as const;

export const beans: EntityShape = {
  name: "beans",
  title: "Beans",
  summary: "Named things the routes refer to.",
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
  options: { id: f.string({ doc: "The name it is referred to by." }), format: f.format({ doc: "The format.", required: true }) },
};
