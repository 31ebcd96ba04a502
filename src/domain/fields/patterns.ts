/** A pattern that matches the text in any case: JSON Schema has no flag for it. */
export const anyCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)

const LETTER_OR_DIGIT = '[A-Za-z0-9]'
const LABEL = `${LETTER_OR_DIGIT}(?:[A-Za-z0-9-]{0,61}${LETTER_OR_DIGIT})?`
const LAST_LABEL = `[A-Za-z](?:[A-Za-z0-9-]{0,61}${LETTER_OR_DIGIT})?`
const DOMAIN = `(?:${LABEL}\\.)+${LAST_LABEL}`
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+"

/** A pattern cannot express the rules of international names. */
const OR_INTERNATIONAL = '|[^\\x00-\\x7F]'

/** A domain name of two parts or more (RFC 1035, section 2.3.4). */
export const DOMAIN_PATTERN = `^${DOMAIN}$${OR_INTERNATIONAL}`

/** An email address (RFC 5321, section 4.1.2), without quoted names and address literals. */
export const EMAIL_PATTERN = `^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@${DOMAIN}$${OR_INTERNATIONAL}`

const DAY_OF_ANY_MONTH = [
  '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])',
  '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)',
  '02-(?:0[1-9]|[12]\\d)',
].join('|')
const MINUTE = '[0-5]\\d'

/** A point in time with its zone, as domain/instants reads it, except that 29 February passes in every year. */
export const INSTANT_PATTERN =
  `^\\d{4}-(?:${DAY_OF_ANY_MONTH})T(?:(?:[01]\\d|2[0-3]):${MINUTE}(?::${MINUTE}(?:\\.\\d{1,9})?)?` +
  `|24:00(?::00(?:\\.0{1,9})?)?)(?:Z|[+-](?:[01]\\d|2[0-3]):${MINUTE})$`
