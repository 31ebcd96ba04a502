import path from 'node:path'
import { mayImport, splitAtSrc } from './arrows.mjs'

/**
 * An import follows the arrows between the rooms (arrows.mjs), however deep its file lies.
 *
 * @type {import('oxlint/plugins-dev').Rule}
 */
export const fenceRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { forbidden: '{{from}} may not import {{to}}: see the arrows in docs/architecture.md.' },
  },
  create(context) {
    const [src, from] = splitAtSrc(context.filename)

    /** @param {any} node an import or a re-export, or the expression or type `import(…)` */
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

/** @param {any} node one of the above @returns {boolean} */
const isTypeOnly = (node) =>
  node.type === 'TSImportType' ||
  [node.importKind, node.exportKind].includes('type') ||
  (node.specifiers?.length > 0 &&
    node.specifiers.every((/** @type {any} */ one) => one.importKind === 'type'))
