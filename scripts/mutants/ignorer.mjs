/** A plugin that makes Stryker skip the texts of joi's `description`: people read them in the documentation, and they hold no rule. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'descriptions',
    value: {
      /** @param {{ listKey?: string, parent?: any }} path of Babel, to a node of the source */
      shouldIgnore: ({ listKey, parent }) =>
        listKey === 'arguments' && parent.callee?.property?.name === 'description'
          ? 'a description for readers'
          : undefined,
    },
  },
]
