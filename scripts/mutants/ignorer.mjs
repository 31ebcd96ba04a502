/** Stryker's plugin that leaves texts alone which joi's `description` hands to readers of the documentation: no rule is in them. */
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
