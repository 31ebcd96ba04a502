/** Attributes whose every word is read by people. */
const READ = new Set([
  ...['label', 'title', 'description', 'placeholder', 'aria-label'],
  ...['alt', 'legend', 'what', 'none', 'over'],
])

/** Attributes that hold code. */
const CODE = new Set(['className', 'style', 'd', 'viewBox', 'value', 'width', 'height', 'sizes'])

/** Two words with a space between, one that begins like a sentence, or one beside a value. */
const PROSE = /\p{L}[\p{L}’']*[,.:;)]? +\p{L}|^\p{Lu}\p{Ll}+[.:!?…]?$|^ \p{L}|\p{L}[:,]? $/u

const LETTER = /\p{L}/u

/** Values of the api that look like words, and names of keys as the keyboard has them. */
const NO_PROSE = /^(?:Personal|Shared|Enter|Ctrl K|g |\dxx|curl .*)$/s

/**
 * What people read stands in the `texts.ts` of the folder. Found are texts and words in JSX, and whatever looks like a
 * sentence or a heading elsewhere; a single lower-case word outside JSX is not.
 *
 * @type {import('oxlint/plugins-dev').Rule}
 */
export const textsRule = {
  meta: {
    messages: { readable: 'What people read belongs into texts.ts beside this file: {{text}}' },
  },
  create(context) {
    const report = (node, text) =>
      context.report({ node, messageId: 'readable', data: { text: text.trim().slice(0, 40) } })

    /** @param parts the fixed parts of a literal or a template */
    function check(node, parts) {
      if (parts.some((part) => NO_PROSE.test(part)) || isCode(node)) return
      const found = parts.find((part) => (isReadInJsx(node) ? LETTER : PROSE).test(part))
      if (found !== undefined) report(node, found)
    }

    return {
      JSXText(node) {
        if (LETTER.test(node.value) && !/^(?:code|kbd|Kbd)$/.test(node.parent.openingElement?.name.name))
          report(node, node.value)
      },
      Literal(node) {
        if (typeof node.value === 'string') check(node, [node.value])
      },
      TemplateLiteral(node) {
        const parts = node.quasis.map(({ value }) => value.cooked)
        check(node, parts)
      },
    }
  },
}

const TYPES = /^(?:Import|Export(?:Named|All)Declaration|TS(?!As|Satisfies|NonNull))/

/** Whether nobody reads it: a name, a type, an error for programmers, an operand */
function isCode(node) {
  const { parent } = node
  if (TYPES.test(parent.type)) return true
  if (parent.type === 'BinaryExpression') return parent.operator !== '+'
  if (parent.type === 'CallExpression')
    return /^(?:super|\w+\.(?:closest|matches|querySelector\w*))$/.test(calleeOf(parent))
  if (parent.type === 'NewExpression') return parent.callee.name?.endsWith('Error')
  if (parent.type === 'Property') return parent.key === node
  if (parent.type === 'MemberExpression') return parent.property === node
  return parent.type === 'JSXAttribute' && CODE.has(parent.name.name)
}

const calleeOf = ({ callee }) =>
  callee.type === 'Super' ? 'super' : callee.property ? `x.${callee.property.name}` : callee.name

/** Whether it is shown as it is: a child of an element, or an attribute that is read or a property `label` */
function isReadInJsx(node) {
  const { parent } = node
  if (parent.type === 'JSXAttribute') return READ.has(parent.name.name)
  if (parent.type === 'Property') return parent.key.name === 'label'
  if (parent.type === 'JSXExpressionContainer')
    return parent.parent.type === 'JSXAttribute' ? READ.has(parent.parent.name.name) : true
  const isBranch =
    (parent.type === 'ConditionalExpression' && parent.test !== node) ||
    (parent.type === 'LogicalExpression' && parent.right === node)
  return isBranch && isReadInJsx(parent)
}
