/**
 * Every action of the audit, and the words that say what the actor did. `{target}` stands for the object. This is the
 * only table of actions: add a new action here.
 */
export const AUDIT_ACTIONS = {
  'company.create': 'created the company',
  'company.update': 'changed the settings of the company',
  'company.suspend': 'suspended the company',
  'company.resume': 'resumed the company',
  'company.export': 'exported all that the company has',
  'company.delete': 'began to delete the company',
  'company.erase': 'deleted the company',
  'audit.export': 'exported the audit',
  'user.create': 'added the user {target}',
  'invitation.create': 'invited somebody',
  'invitation.resend': 'sent an invitation again',
  'invitation.revoke': 'withdrew an invitation',
  'invitation.accept': 'accepted an invitation',
  'user.update': 'changed the user {target}',
  'user.remove': 'removed the user {target}',
  'user.reset_password': 'reset the password of {target}',
  'user.set_password': 'set their password by a link',
  'user.change_password': 'changed their own password',
  'user.totp_on': 'switched their second factor on',
  'user.totp_off': 'switched their second factor off',
  'user.totp_lock': 'gave too many wrong codes: the second factor is locked',
  'user.totp_unlock': 'unlocked the second factor of {target}',
  'user.recovery_codes': 'made new recovery codes',
  'session.end': 'ended sessions of their own',
  'session.start': 'signed in',
  'session.refuse': 'was refused at the sign-in',
  'key.create': 'created the API key {target}',
  'key.update': 'changed the API key {target}',
  'key.rotate': 'rotated the API key {target}',
  'key.revoke': 'revoked the API key {target}',
  'key.expire': 'ended the API key {target}: its grace period is over',
  'webhook.create': 'created the webhook {target}',
  'webhook.update': 'changed the webhook {target}',
  'webhook.delete': 'deleted the webhook {target}',
  'webhook.deactivate': 'deactivated the webhook {target}',
  'webhook.regenerate_secret': 'replaced the signing secret of the webhook {target}',
  'webhook.reveal_headers': 'looked at the header values of the webhook {target}',
  'webhook.recover': 'began a recovery of the webhook {target}',
  'webhook.send_event': 'sent an event to the webhook {target}',
  'webhook.cancel_recovery': 'stopped a recovery of the webhook {target}',
  'delivery.retry': 'retried the delivery {target}',
  'delivery.resend': 'sent the delivery {target} again',
  'notice.done': 'marked a notice as done for all',
  'notice.reopen': 'opened a notice again for all',
  'channel.create': 'added a channel for notices',
  'channel.confirm': 'confirmed the mail address of a channel for notices',
  'channel.update': 'changed the channel for notices {target}',
  'channel.remove': 'removed a channel for notices',
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS

/** All actions, in the order of the table. */
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as readonly AuditAction[]
