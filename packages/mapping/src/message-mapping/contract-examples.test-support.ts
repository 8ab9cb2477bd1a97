// The examples of the HTTP contract for message mappings, verbatim.

export const orderToOrder = {
  document: JSON.parse(`{"source":{"format":"json"},"target":{"format":"json"},"vars":[{"name":"$live","expr":"lines[? qty > 0]"}],
 "parts":{"address":{"map":[{"to":"street","from":"street","required":true},{"to":"city","from":"city"},
   {"to":"countryIso3","lookup":{"table":"country","key":"country","from":"iso2","to":"iso3"}}]}},
 "map":[{"to":"orderNo","from":"id","required":true},{"to":"type","value":"ZOR"},{"to":"orderDate","from":"placedAt","type":"date"},
  {"to":"customerName","expr":"trim(customer.firstName + ' ' + customer.lastName)"},
  {"to":"priority","switch":[{"when":"customer.vip","value":"HIGH"},{"when":"channel == 'web'","value":"NORMAL"},{"value":"LOW"}]},
  {"to":"shipTo","use":"address","with":"shipTo"},
  {"to":"items[]","forEach":"$live","map":[{"to":"pos","expr":"($index + 1) * 10"},{"to":"material","from":"sku"},{"to":"quantity","from":"qty","type":"integer"},
    {"to":"uom","lookup":{"table":"uom","key":"unit","from":"shop","to":"sap"}},{"to":"net","expr":"qty * price","scale":2}]},
  {"to":"total","expr":"sum($live[*].(qty * price))","scale":2},{"to":"note","from":"comment","default":"none"}]}`),
  input: JSON.parse(
    `{"id":"A-1001","placedAt":"2026-11-14T09:30:00Z","channel":"web","customer":{"firstName":"Ada","lastName":"Lovelace","vip":true},"shipTo":{"street":"12 St James Sq","city":"London","country":"GB"},"lines":[{"sku":"KB-1","qty":2,"unit":"piece","price":49.9},{"sku":"MS-7","qty":0,"unit":"piece","price":19.5},{"sku":"CB-3","qty":3,"unit":"box","price":5}]}`,
  ),
  output: JSON.parse(
    `{"orderNo":"A-1001","type":"ZOR","orderDate":"2026-11-14","customerName":"Ada Lovelace","priority":"HIGH","shipTo":{"street":"12 St James Sq","city":"London","countryIso3":"GBR"},"items":[{"pos":10,"material":"KB-1","quantity":2,"uom":"ST","net":99.8},{"pos":20,"material":"CB-3","quantity":3,"uom":"KAR","net":15}],"total":114.8,"note":"none"}`,
  ),
};

export const invoiceToJson = {
  document: JSON.parse(`{"source":{"format":"xml","root":"inv:Invoice","namespaces":{"inv":"urn:acme:inv"}},"target":{"format":"json"},
 "map":[{"to":"number","from":"inv:ID","required":true},{"to":"currency","from":"@currency"},{"to":"issued","from":"inv:Issued","type":"date"},{"to":"seller.name","from":"inv:Seller.inv:Name"},
  {"to":"lines[]","forEach":"inv:Line","map":[{"to":"no","from":"@no","type":"integer"},{"to":"text","from":"inv:Item"},{"to":"net","expr":"number(inv:Qty) * number(inv:Price)","scale":2}]},
  {"to":"taxes[]","forEach":"inv:Line","groupBy":"inv:Vat","map":[{"to":"rate","expr":"number($key)"},{"to":"base","expr":"sum($group[*].(number(inv:Qty) * number(inv:Price)))","scale":2},
    {"to":"amount","expr":"sum($group[*].(number(inv:Qty) * number(inv:Price))) * number($key) / 100","scale":2}]},{"to":"lineCount","expr":"count(inv:Line)"}]}`),
  input: `<inv:Invoice xmlns:inv="urn:acme:inv" currency="EUR"><inv:ID>INV-7</inv:ID><inv:Issued>2026-10-31</inv:Issued><inv:Seller><inv:Name>ACME</inv:Name></inv:Seller><inv:Line no="1"><inv:Item>Cable</inv:Item><inv:Qty>2</inv:Qty><inv:Price>4.50</inv:Price><inv:Vat>20</inv:Vat></inv:Line><inv:Line no="2"><inv:Item>Manual</inv:Item><inv:Qty>1</inv:Qty><inv:Price>10.00</inv:Price><inv:Vat>5</inv:Vat></inv:Line><inv:Line no="3"><inv:Item>Plug</inv:Item><inv:Qty>3</inv:Qty><inv:Price>2.00</inv:Price><inv:Vat>20</inv:Vat></inv:Line></inv:Invoice>`,
  output: JSON.parse(
    `{"number":"INV-7","currency":"EUR","issued":"2026-10-31","seller":{"name":"ACME"},"lines":[{"no":1,"text":"Cable","net":9},{"no":2,"text":"Manual","net":10},{"no":3,"text":"Plug","net":6}],"taxes":[{"rate":20,"base":15,"amount":3},{"rate":5,"base":10,"amount":0.5}],"lineCount":3}`,
  ),
};

export const csvToOrders = {
  document:
    JSON.parse(`{"source":{"format":"csv","delimiter":";","header":true},"target":{"format":"json"},"map":[{"to":"orders[]","forEach":"rows","groupBy":"OrderNo","map":[
  {"to":"orderNo","from":"OrderNo"},{"to":"customer","from":"Customer"},{"to":"items[]","forEach":"$group","map":[{"to":"sku","from":"Sku"},{"to":"qty","from":"Qty","type":"integer"}]},{"to":"units","expr":"sum($group[*].Qty)"}]}]}`),
  input: "OrderNo;Customer;Sku;Qty\n1001;C7;KB-1;2\n1001;C7;MS-7;1\n1002;C9;KB-1;4",
  output: JSON.parse(
    `{"orders":[{"orderNo":"1001","customer":"C7","items":[{"sku":"KB-1","qty":2},{"sku":"MS-7","qty":1}],"units":3},{"orderNo":"1002","customer":"C9","items":[{"sku":"KB-1","qty":4}],"units":4}]}`,
  ),
};

/** The tables that example 1 uses. */
export const orderTables = {
  uom: {
    columns: ["shop", "sap"],
    rows: [
      ["piece", "ST"],
      ["box", "KAR"],
    ],
  },
  country: {
    columns: ["iso2", "iso3"],
    rows: [
      ["GB", "GBR"],
      ["DE", "DEU"],
    ],
  },
};
