export const texts = {
  // notice-kinds.ts
  webhookFails: 'webhook fails',
  deactivationAhead: 'webhook will be deactivated',
  deactivatedFailing: 'webhook deactivated: it failed',
  deactivatedGone: 'webhook deactivated: 410',
  deactivatedBacklog: 'webhook deactivated: backlog',
  deliveriesFailed: 'deliveries failed',
  keyExpiresInWeek: 'key expires in 7 days',
  keyExpiresTomorrow: 'key expires in 1 day',
  graceEndsTomorrow: 'grace period ends in 1 day',
  channelOff: 'channel switched off',
  allKinds: 'All kinds',
  lookAtTheKey: 'Look at the key',
  lookAtTheDeliveries: 'Look at the deliveries',
  lookAtTheWebhook: 'Look at the webhook',
  lookAtTheNotices: 'Look at the notices',

  // notice-rows.tsx
  notices: 'Notices',
  what: 'What',
  message: 'Message',
  where: 'Where',
  when: 'When',

  // notices.tsx
  kind: 'Kind',
  empty:
    'Nothing needs you. Webhooks that fail, deliveries that failed for good and keys that expire appear here.',
}
