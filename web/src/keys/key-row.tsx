import type { Key } from '../common/api/wire.ts'
import { count } from '../common/format/numbers.ts'
import { Copy } from '../common/ui/copy.tsx'
import { Row } from '../common/ui/data-table.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { Sparkline } from '../common/ui/sparkline.tsx'
import { QuietLink, RowLink } from '../common/ui/text-link.tsx'
import { Moment, When } from '../common/ui/when.tsx'
import type { KeyAction } from './key-access.ts'
import { KeyMenu } from './key-menu.tsx'
import type { ListedKey } from './key-pairs.ts'
import { KeyStateBadge } from './key-state.tsx'
import { addressesInShort, scopesInShort } from './key-words.ts'
import { usePresets } from './use-presets.ts'
import { texts } from './texts.ts'

type Props = {
  readonly listed: ListedKey
  /** Opens the dialog of an action. */
  readonly onChoose: (action: KeyAction) => void
}

/** One key in the list. */
export function KeyRow({ listed: { key: apiKey, isOld, other }, onChoose }: Props) {
  const { id, type, user_name, scopes, usage, ip_allowlist: allowlist } = apiKey
  const presets = usePresets()
  return (
    <Row
      cells={[
        <KeyStateBadge key="state" state={apiKey.state} expiresAt={apiKey.expires_at} />,
        <div key="name" className={isOld ? 'old-key' : undefined}>
          <span className="cut">
            <RowLink href={`/keys/${id}`}>
              <ForeignName text={apiKey.name} />
            </RowLink>
          </span>
          <PrefixLine apiKey={apiKey} other={other} />
        </div>,
        <div key="type">
          {type}
          {user_name !== null && (
            <span className="second-line cut">
              <ForeignName text={user_name} limit={40} />
            </span>
          )}
        </div>,
        <span key="scopes" className="cut" title={scopes.join(', ')}>
          {scopesInShort(presets, scopes)}
        </span>,
        <span key="addresses" className="cut" title={allowlist.join(', ')}>
          {addressesInShort(allowlist)}
        </span>,
        <div key="used">
          <When at={apiKey.last_used_at} none={texts.never} />
          {apiKey.last_used_ip !== null && <span className="second-line cut">{apiKey.last_used_ip}</span>}
        </div>,
        <span key="requests" className="one-line">
          {usage.daily.some(({ requests }) => requests > 0) && (
            <Sparkline
              points={usage.daily.map(({ requests }) => ({ good: requests, bad: 0 }))}
              summary={texts.requestsOf({ month: usage.month, day: usage.day })}
            />
          )}
          <span>{count(apiKey.request_count)}</span>
        </span>,
        apiKey.revoked_at === null && (
          <When key="expires" at={apiKey.expires_at} none={texts.never} is="end" />
        ),
        <KeyMenu key="menu" apiKey={apiKey} onChoose={onChoose} />,
      ]}
    />
  )
}

/** The prefix, and the other key of a rotation if no row beside this one shows it. */
function PrefixLine({ apiKey: { name, prefix }, other }: { apiKey: Key } & Pick<ListedKey, 'other'>) {
  return (
    <span className="second-line mono copyable">
      {prefix} <Copy text={prefix} what={texts.prefixOf({ name })} />
      {other && (
        <QuietLink href={`/keys/${other.id}`}>
          {other.is === 'new' ? texts.theNewKey : texts.theOldKeyUntil({ when: <Moment at={other.until} /> })}
        </QuietLink>
      )}
    </span>
  )
}
