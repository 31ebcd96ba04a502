import path from 'node:path'
import { mayImport, splitAtSrc } from './arrows.mjs'
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
        (node) => context.report({ node, message }),
      ]),
    ),
})

/**
 * An import follows the arrows between the rooms (arrows.mjs), however deep its file lies.
 *
 * @type {import('oxlint/plugins-dev').Rule}
 */
const fenceRule = {
  meta: {
    messages: { forbidden: '{{from}} may not import {{to}}: see the arrows in docs/architecture.md.' },
  },
  create(context) {
    const [src, from] = splitAtSrc(context.filename)

    /** @param node an import or a re-export, or the expression or type `import(…)` */
    function check(node) {
      const source = node.source?.value ?? node.argument?.literal?.value
      if (typeof source !== 'string' || !source.startsWith('.')) return
      const to = path.posix.relative(src, path.posix.resolve(path.posix.dirname(context.filename), source))
      // It names the release, and belongs to no room.
      if (to === '../package.json' || mayImport(from, to, isTypeOnly(node))) return
      context.report({ node, messageId: 'forbidden', data: { from, to } })
    }

    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    }
  },
}

const isTypeOnly = (node) =>
  node.type === 'TSImportType' ||
  [node.importKind, node.exportKind].includes('type') ||
  (node.specifiers?.length > 0 && node.specifiers.every((one) => one.importKind === 'type'))

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
  },
}
