export const texts = {
  // webhook-settings.tsx
  endpoint: 'Endpoint',
  endpointMeans: 'Where the events are sent.',
  id: 'Id',
  webhookId: 'webhook id',
  created: 'Created',
  changed: 'Changed',
  eventsMean: 'What is sent, as soon as it happens.',
  eventTypes: 'Types',
  noFilter: 'none: every event of these types is sent',
  sending: 'Delivery',
  sendingMeans: 'How it is sent, and what happens when it does not arrive.',
  nothing: 'none',

  // signing-secret.tsx
  signingSecret: 'Signing secret',
  signingSecretMeans: 'Your server checks with it that a request is ours. It was shown when it was made.',
}
