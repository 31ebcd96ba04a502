import { Stack, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { CompanyRules } from '../common/api/wire.ts'
import { useClient, useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { texts } from './texts.ts'

/** Whether the company requires a second factor of all users. */
export function SecondFactorRule() {
  const client = useClient()
  const { company } = useSession()
  const change = useChange<CompanyRules>()
  return (
    <Stack gap="xs" mt="xl" p="md" className="panel">
      <Switch
        labelPosition="left"
        classNames={{ body: 'switch-row' }}
        label={texts.everybodyNeedsIt}
        description={texts.everybodyNeedsItMeans}
        checked={company.second_factor_required}
        disabled={change.isPending}
        onChange={(event) => {
          const second_factor_required = event.currentTarget.checked
          change.mutate(
            { method: 'PATCH', path: '/company', body: { second_factor_required } },
            {
              onSuccess: () => {
                notifications.show({
                  message: second_factor_required ? texts.everybodyIsAsked : texts.nobodyIsAsked,
                })
                void client.session()
              },
            },
          )
        }}
      />
      {change.error && <RefusalNotice error={change.error} />}
    </Stack>
  )
}
