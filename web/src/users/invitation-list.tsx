import { Button, Group, Stack, Title } from '@mantine/core'
import type { Invitation, IssuedLink } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useChange, useParts } from '../common/session/queries.ts'
import { DataTable, Row, type Column } from '../common/ui/data-table.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { When } from '../common/ui/when.tsx'
import { useLinkMade } from './use-link-made.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.email,
  texts.role,
  texts.invitedBy,
  texts.expires,
  texts.mail,
  { name: texts.actions, isControl: true },
]

const MAIL = { waiting: texts.mailWaiting, sent: texts.mailSent, failed: texts.mailFailed }

/** The unused invitations. Renders nothing if there are none. */
export function InvitationList() {
  const list = useParts<Invitation>('/invitations', {})
  const { settings } = useSession()
  const unmailed = settings.sends_mail ? texts.notMailed : texts.noMailServer
  const { take, shown } = useLinkMade()
  const resend = useChange<IssuedLink>()
  const revoke = useChange<object>()
  const error = resend.error ?? revoke.error
  // Only one at a time: a second press would replace the first link before anybody saw it.
  const isBusy = resend.isPending || revoke.isPending
  const renewing = resend.isPending ? resend.variables.path : undefined
  // Busy until the row of the invitation has gone from the list.
  const withdrawing = revoke.isError ? undefined : revoke.variables?.path
  return (
    <Loaded reading={list}>
      {({ pages }) => {
        const invitations = pages.flatMap((page) => page.data)
        return (
          <>
            {invitations.length > 0 && (
              <Stack component="section" aria-labelledby="invitations" mt="xl">
                <Title order={2} id="invitations">
                  {texts.invitations}
                </Title>
                <DataTable label={texts.invitations} columns={COLUMNS}>
                  {invitations.map((each) => (
                    <Row
                      key={each.id}
                      cells={[
                        <ForeignText key="email" text={each.email} limit={80} />,
                        each.role,
                        <ForeignText key="by" text={each.invited_by.name ?? each.invited_by.id} limit={60} />,
                        each.is_expired ? texts.expired : <When key="end" at={each.expires_at} is="end" />,
                        each.mail === null ? unmailed : MAIL[each.mail],
                        <Group key="actions" gap="xs" wrap="nowrap">
                          <Button
                            size="compact-sm"
                            variant="default"
                            loading={renewing === `/invitations/${each.id}/resend`}
                            disabled={isBusy}
                            onClick={() =>
                              resend.mutate(
                                { method: 'POST', path: `/invitations/${each.id}/resend`, body: {} },
                                { onSuccess: take },
                              )
                            }
                          >
                            {texts.newLink}
                          </Button>
                          <Button
                            size="compact-sm"
                            variant="default"
                            loading={withdrawing === `/invitations/${each.id}`}
                            disabled={isBusy}
                            onClick={() =>
                              revoke.mutate({ method: 'DELETE', path: `/invitations/${each.id}` })
                            }
                          >
                            {texts.withdraw}
                          </Button>
                        </Group>,
                      ]}
                    />
                  ))}
                </DataTable>
                <MoreButton list={list} isEmpty={false} />
              </Stack>
            )}
            {error && <RefusalNotice error={error} />}
            {shown}
          </>
        )
      }}
    </Loaded>
  )
}
