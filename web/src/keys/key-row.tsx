import type { Key } from '../common/api/wire.ts'
import { count } from '../common/format/numbers.ts'
import { Copy } from '../common/ui/copy.tsx'
import { Row } from '../common/ui/data-table.tsx'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { Sparkline } from '../common/ui/sparkline.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { Countdown, When } from '../common/ui/when.tsx'
import { KeyMenu } from './key-menu.tsx'
import { KeyStateBadge } from './key-state.tsx'
import { scopesInShort } from './key-words.ts'
import { usePresets } from './use-presets.ts'
import { texts } from './texts.ts'

/** One key in the list. */
export function KeyRow({ apiKey }: { apiKey: Key }) {
  const { id, name, prefix, type, user_name, scopes, state, usage, ip_allowlist: allowlist } = apiKey
  const presets = usePresets()
  return (
    <Row
      cells={[
        <KeyStateBadge key="state" state={state} expiresAt={apiKey.expires_at} />,
        <div key="name">
          <RowLink href={`/keys/${id}`}>
            <ForeignName text={name} />
          </RowLink>
          <span className="second-line mono copyable">
            {prefix} <Copy text={prefix} what={texts.prefixOf({ name })} />
          </span>
          {apiKey.replaces && (
            <span className="second-line">
              {texts.oldKeyWorksFor({ when: <Countdown until={apiKey.replaces.expires_at} /> })}
            </span>
          )}
        </div>,
        <div key="type">
          {type}
          {user_name !== null && (
            <span className="second-line">
              <ForeignText text={user_name} limit={40} />
            </span>
          )}
        </div>,
        <span key="scopes" title={scopes.join(', ')}>
          {scopesInShort(presets, scopes)}
        </span>,
        <span key="addresses" title={allowlist.join(', ')}>
          {allowlist.length === 0 ? texts.any : texts.entries({ number: allowlist.length })}
        </span>,
        <div key="used">
          <When at={apiKey.last_used_at} none={texts.never} />
          {apiKey.last_used_ip !== null && <span className="second-line">{apiKey.last_used_ip}</span>}
        </div>,
        <span key="days" className="one-line">
          <Sparkline
            points={usage.daily.map(({ requests }) => ({ good: requests, bad: 0 }))}
            summary={texts.requestsOf({ month: usage.month, day: usage.day })}
          />
        </span>,
        count(apiKey.request_count),
        <When key="expires" at={apiKey.expires_at} none={texts.never} is="end" />,
        <KeyMenu key="menu" apiKey={apiKey} />,
      ]}
    />
  )
}
