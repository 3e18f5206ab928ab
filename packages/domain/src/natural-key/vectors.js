import { domainVectors } from './vectors-domain.js';
import { emailVectors } from './vectors-email.js';
import { nameVectors } from './vectors-name.js';
/**
 * How inputs become natural keys. One table tests everything that must agree: these functions, the gateways over HTTP
 * and the database's CHECK constraints. Rows of one kind with the same `expected` are the same record.
 */
export const naturalKeyVectors = [...domainVectors, ...emailVectors, ...nameVectors];
/** Whether a normalized domain belongs to a mail provider. */
export const freeMailVectors = [
    { domain: 'gmail.com', expected: true },
    { domain: 'googlemail.com', expected: true },
    { domain: 'outlook.com', expected: true },
    { domain: 'hotmail.com', expected: true },
    { domain: 'yahoo.co.uk', expected: true },
    { domain: 'icloud.com', expected: true },
    { domain: 'gmx.de', expected: true },
    { domain: 'proton.me', expected: true },
    { domain: 'qq.com', expected: true },
    { domain: 'acme.com', expected: false },
    { domain: 'example.com', expected: false },
    { domain: 'facebook.com', expected: false },
    { domain: 'mail.gmail.com', expected: false },
    { domain: 'gmail.com.acme.com', expected: false },
    { domain: 'notgmail.com', expected: false },
];
/** The name of an account made from a normalized domain alone. */
export const accountNameVectors = [
    { domain: 'acme.com', expected: 'Acme' },
    { domain: 'mail.acme.com', expected: 'Acme' },
    { domain: 'acme.co.uk', expected: 'Acme' },
    { domain: 'shop.eu.acme.com.au', expected: 'Acme' },
    { domain: 'acme-tools.de', expected: 'Acme-tools' },
    { domain: '37signals.com', expected: '37signals' },
    { domain: 'xn--mller-kva.de', expected: 'Müller' },
    { domain: 'xn--bcher-kva.example', expected: 'Bücher' },
    { domain: 'xn--e1afmkfd.xn--p1ai', expected: 'Пример' },
    { domain: 'xn--r8jz45g.xn--zckzah', expected: '例え' },
    { domain: 'acme.github.io', expected: 'Acme' },
    { domain: 'github.io', expected: 'Github' },
    { domain: 'co.uk', expected: 'Co' },
    { domain: 'crm.acme.internal', expected: 'Acme' },
];
//# sourceMappingURL=vectors.js.map