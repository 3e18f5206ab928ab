// Rules for Redocly: every number says its size, as Spectral's OWASP rule `integer-format` asks, and every value of a request has a
// bound, as its rules `string-limit`, `array-limit` and `integer-limit` ask. Responses stay open for later versions.

const sizes = { integer: ['int32', 'int64'], number: ['float', 'double'] };

const typesOf = ({ type }) => [type ?? []].flat();

/** Reports numbers without a size. Without it, generators of Java, C# and Go take 32 bits. */
const numberFormat = () => ({
  Schema: (schema, { report, location }) => {
    for (const [type, formats] of Object.entries(sizes)) {
      if (!typesOf(schema).includes(type) || formats.includes(schema.format)) continue;
      report({ message: `${type} must have the format ${formats.join(' or ')}`, location: location.child('type') });
    }
  },
});

/** By type: whether a schema has a bound. */
const isBounded = {
  string: ({ maxLength, enum: values, pattern, format }) => (maxLength ?? values ?? pattern ?? format) !== undefined,
  array: ({ maxItems }) => maxItems !== undefined,
};

const checkBounds = (schema, { report, location }) => {
  for (const [type, hasBound] of Object.entries(isBounded)) {
    if (!typesOf(schema).includes(type) || hasBound(schema)) continue;
    report({ message: `${type} in a request must have a bound`, location: location.child('type') });
  }
};

/**
 * Reports texts and lists of requests without a bound. Messages to receivers are not requests of callers, and the server bounds all
 * headers together.
 */
const requestBounds = () => ({
  PathItem: {
    skip: (_item, key) => !String(key).startsWith('/'),
    RequestBody: { Schema: checkBounds },
    Parameter: { skip: ({ in: place }) => place === 'header', Schema: checkBounds },
  },
});

export default () => ({
  id: 'sizes',
  rules: { oas3: { 'number-format': numberFormat, 'request-bounds': requestBounds } },
});
