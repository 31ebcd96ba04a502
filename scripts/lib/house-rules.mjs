import { fenceRule } from './fence-rule.mjs'
import { systemDbRule } from './system-db-rule.mjs'
import { textsRule } from './texts-rule.mjs'

/**
 * A rule that refuses every node that a selector finds.
 *
 * @param {Record<string, string>} messages by selector (https://eslint.org/docs/latest/extend/selectors)
 * @returns {import('oxlint/plugins-dev').Rule}
 */
const refusing = (messages) => ({
  create: (context) =>
    Object.fromEntries(
      Object.entries(messages).map(([selector, message]) => [
        selector,
        (/** @type {any} */ node) => context.report({ node, message }),
      ]),
    ),
})

/** The rules that only this product has, as a plugin of Oxlint: .oxlintrc.json turns them on. */
export default {
  meta: { name: 'house' },
  rules: {
    fence: fenceRule,
    'system-db': systemDbRule,
    texts: textsRule,
    spread: refusing({
      "SpreadElement[argument.type='ObjectExpression']":
        'Write the properties of the object as they are, a line each if they are many.',
      "ArrayExpression[elements.length=1] > SpreadElement[argument.type='ArrayExpression']":
        'Write the elements of the inner list as they are.',
    }),
    forms: refusing({
      "JSXOpeningElement[name.name='form'], JSXAttribute[name.name='component'][value.value='form']":
        'A form is that of common/ui/form.tsx: it says what is wrong with its fields without the bubbles of browsers.',
      'JSXOpeningElement[name.name=/^(TextInput|PasswordInput)$/] > JSXAttribute[name.name=/^(required|type)$/]':
        'What a form checks is a field of common/ui/fields.tsx, which shows what is wrong with it.',
      "JSXAttribute[name.name='type'][value.value=/^(date|time|datetime-local)$/]":
        'A time is chosen in common/ui/date-time-field.tsx.',
    }),
    environment: refusing({
      "MemberExpression[object.name='process'][property.name='env']":
        'src/config/index.ts is the only reader of the environment.',
    }),
  },
}
