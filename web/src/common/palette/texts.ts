export const texts = {
  // shortcuts.ts
  searchEverything: 'Search pages, webhooks, keys, ids and actions',
  showTheseShortcuts: 'Show these shortcuts',
  goToFirstFilter: 'Go to the first filter of a list',
  nextRow: 'Next row of a list',
  rowBefore: 'Row before',
  openTheRow: 'Open the row',

  // command-list.ts
  webhook: 'Webhook',
  apiKey: 'API key',
  event: 'Event',
  delivery: 'Delivery',
  createWebhook: 'Create webhook',
  createApiKey: 'Create API key',
  addUser: 'Add user',
  goTo: 'Go to',
  actions: 'Actions',
  webhooks: 'Webhooks',
  apiKeys: 'API keys',
  searchDeliveriesFor: ({ text }: { text: string }) => `Search deliveries for “${text}”`,
  searchEventsFor: ({ text }: { text: string }) => `Search events for “${text}”`,
  sendTestEventTo: ({ name }: { name: string }) => `Send test event to ${name}`,

  // use-hits.ts
  events: 'Latest events',

  // palette.tsx
  search: 'Search',
  placeholder: 'A page, a webhook, a key, a record, any id, or what to do',
  move: 'move',
  take: 'open',
  close: 'close',
  nothingFound: 'Nothing has that name.',

  // search-bar.tsx
  keyboardShortcuts: 'Keyboard shortcuts',
  singleKeys: 'Shortcuts of single keys',
}
