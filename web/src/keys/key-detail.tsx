import { Stack, Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { Copy } from '../common/ui/copy.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { History } from '../audit/history.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { UrlTabs } from '../common/ui/url-tabs.tsx'
import { When } from '../common/ui/when.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyAllowlist } from './key-allowlist.tsx'
import { KeySentence } from './key-sentence.tsx'
import { KeySettings } from './key-settings.tsx'
import { KeyStateBadge } from './key-state.tsx'
import { KeyUsage } from './key-usage.tsx'
import { addressesInShort, presetName } from './key-words.ts'
import { ReplacedKey } from './replaced-key.tsx'
import { usePresets } from './use-presets.ts'
import { texts } from './texts.ts'

/** How often the key of an open page is read again, because somebody may revoke it. */
const READ_EVERY_MS = 15_000

export function KeyDetail({ keyId }: { keyId: string }) {
  const reading = useOne<Key>(`/keys/${keyId}`, { everyMs: READ_EVERY_MS })
  return (
    <Loaded reading={reading}>
      {({ item }) => (
        <>
          <PageTitle
            title={item.name}
            beside={
              <>
                <KeyStateBadge state={item.state} expiresAt={item.expires_at} isBadge />
                <span className="copyable mono quiet">
                  {item.prefix}… <Copy text={item.prefix} what={texts.prefixOfTheKey} />
                </span>
              </>
            }
          >
            <KeyActions apiKey={item} />
          </PageTitle>
          <KeyFacts apiKey={item} />
          {item.replaces && <ReplacedKey replaced={item.replaces} />}
          <UrlTabs
            tabs={[
              { name: 'usage', title: texts.usage, content: () => <KeyUsage apiKey={item} /> },
              { name: 'allowlist', title: texts.allowlist, content: () => <KeyAllowlist apiKey={item} /> },
              { name: 'settings', title: texts.settings, content: () => <KeySettings apiKey={item} /> },
              {
                name: 'history',
                title: texts.history,
                content: () => <History path={`/keys/${keyId}/history`} />,
              },
            ]}
          />
        </>
      )}
    </Loaded>
  )
}

/** The scopes, with the name of the preset that they equal, as in the list of keys. */
function ScopesOf({ scopes }: Pick<Key, 'scopes'>) {
  const preset = presetName(usePresets(), scopes)
  const all = scopes.join(', ')
  return <>{preset === undefined ? all : texts.presetOf({ preset, scopes: all })}</>
}

function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { description, rotated_to, user_name } = apiKey
  return (
    <Stack gap="md">
      {description !== null && description !== '' && <ForeignText text={description} limit={300} />}
      <Text size="sm">
        <KeySentence scopes={apiKey.scopes} allowlist={apiKey.ip_allowlist} expiresAt={apiKey.expires_at} />
      </Text>
      <Facts
        facts={[
          [
            texts.type,
            user_name === null ? apiKey.type : texts.keyOf({ type: apiKey.type, userName: user_name }),
          ],
          [texts.scopesLabel, <ScopesOf key="scopes" scopes={apiKey.scopes} />],
          [texts.allowedAddresses, addressesInShort(apiKey.ip_allowlist)],
          [texts.created, <When key="created" at={apiKey.created_at} />],
          // A revoked key no longer works, whatever its expiry is.
          apiKey.revoked_at === null
            ? [texts.expires, <When key="expires" at={apiKey.expires_at} none={texts.never} is="end" />]
            : [texts.revoked, <When key="revoked" at={apiKey.revoked_at} />],
          ...(rotated_to === null
            ? []
            : [
                [
                  texts.replacedBy,
                  <TextLink key="new" href={`/keys/${rotated_to}`}>
                    {texts.itsNewKey}
                  </TextLink>,
                ] as const,
              ]),
        ]}
      />
    </Stack>
  )
}
