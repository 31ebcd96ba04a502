import { Table, Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { count, plural } from '../common/format/numbers.ts'
import { Bars } from '../common/ui/bars.tsx'
import { Copy } from '../common/ui/copy.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { Countdown, When } from '../common/ui/when.tsx'
import { KeyMenu } from './key-menu.tsx'
import { KeyStateBadge } from './key-state.tsx'

/** Scopes that a row names before it only counts. */
const SCOPES_NAMED = 2

/** One key in the list. */
export function KeyRow({ apiKey }: { apiKey: Key }) {
  const { id, name, prefix, type, user_name, scopes, state, usage } = apiKey
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink href={`/keys/${id}`}>
          <ForeignText text={name} limit={60} />
        </TextLink>
        {apiKey.replaces && (
          <Text size="sm">
            Old key works for <Countdown until={apiKey.replaces.expires_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <code>{prefix}</code> <Copy text={prefix} what={`beginning of ${name}`} />
      </Table.Td>
      <Table.Td>
        {type}
        {user_name !== null && (
          <Text size="sm">
            <ForeignText text={user_name} limit={40} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>{scopeText(scopes)}</Table.Td>
      <Table.Td>
        <KeyStateBadge state={state} expiresAt={apiKey.expires_at} />
      </Table.Td>
      <Table.Td>
        <When at={apiKey.last_used_at} none="never" />
        {apiKey.last_used_ip !== null && <Text size="sm">{apiKey.last_used_ip}</Text>}
      </Table.Td>
      <Table.Td>
        <div className="bars-small">
          <Bars
            height={28}
            bars={usage.daily.map(({ date, requests }) => ({ label: date, value: requests }))}
            summary={`${plural(usage.month, 'request')} this month, ${count(usage.day)} today`}
          />
        </div>
      </Table.Td>
      <Table.Td className="figures">{count(apiKey.request_count)}</Table.Td>
      <Table.Td>
        <When at={apiKey.expires_at} none="never" is="end" />
      </Table.Td>
      <Table.Td>
        <KeyMenu apiKey={apiKey} />
      </Table.Td>
    </Table.Tr>
  )
}

function scopeText(scopes: readonly string[]): string {
  const more = scopes.length - SCOPES_NAMED
  const named = scopes.slice(0, SCOPES_NAMED).join(', ')
  return more > 0 ? `${named} and ${String(more)} more` : named
}
