import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { One } from '../common/api/paging.ts'
import { isRefusal } from '../common/api/refusal.ts'
import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { useClient, usePlace } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { FormEnd } from '../common/ui/form-end.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { SummaryForm } from '../common/ui/summary-form.tsx'
import { showRefusal } from '../common/ui/toasts.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { useHiddenValues } from './use-hidden-values.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import { bodyOf, faultsOf, formOf } from './webhook-form.ts'
import { changesTo, FIELDS } from './webhook-merge.ts'
import { WebhookSummary } from './webhook-summary.tsx'
import { texts } from './texts.ts'

/** A webhook and its version. */
type Versioned = { readonly webhook: Webhook; readonly etag: string }

export function EditWebhook({ webhookId }: { webhookId: string }) {
  const reading = useOne<Webhook>(`/webhooks/${webhookId}`)
  return (
    <>
      <PageTitle title={texts.editWebhook} />
      <Loaded reading={reading}>
        {({ item, etag }) => <EditForm loaded={{ webhook: item, etag: etag ?? '' }} />}
      </Loaded>
    </>
  )
}

/**
 * The form keeps the version that it began with. With a later one, the api would believe that the user has seen later changes.
 */
function EditForm({ loaded }: { loaded: Versioned }) {
  const [, navigate] = useLocation()
  const client = useClient()
  const { base: place } = usePlace()
  const [base] = useState(loaded)
  const [form, setForm] = useState(() => formOf(loaded.webhook))
  const [theirs, setTheirs] = useState<Versioned>()
  const save = useChange<Webhook>()
  const hidden = useHiddenValues(loaded.webhook.id)
  const path = `/webhooks/${base.webhook.id}`
  const mine = changesTo(base.webhook, bodyOf(form))
  const faults = faultsOf(form)

  const send = (body: WebhookChange, etag: string) =>
    save.mutate(
      { method: 'PATCH', path, body, ifMatch: etag },
      {
        onSuccess: (saved) => {
          notifications.show({ message: texts.webhookSaved })
          navigate(!base.webhook.is_active && saved.is_active ? `${path}?activated=now` : path)
        },
        onError: (error) => {
          if (isRefusal(error, 'PRECONDITION_FAILED')) void readTheirs().catch(showRefusal)
        },
      },
    )
  const readTheirs = async () => {
    const { body, etag } = await client.send<One<Webhook>>(`${place}${path}`)
    setTheirs({ webhook: body.data, etag: etag ?? '' })
  }
  return (
    <>
      <UnsavedGuard isOn={!save.isSuccess && Object.keys(mine).length > 0} />
      <SummaryForm
        check={() => Object.keys(faults).length === 0}
        onSubmit={() => send(mine, base.etag)}
        title={texts.whatItDoes}
        summary={<WebhookSummary form={form} />}
        actions={
          <FormEnd
            error={save.error}
            label={texts.save}
            isBusy={save.isPending}
            isDisabled={Object.keys(mine).length === 0}
            backTo={path}
          />
        }
      >
        {theirs && (
          <MergeDialog
            key={theirs.etag}
            base={base.webhook}
            mine={mine}
            theirs={theirs.webhook}
            onSave={(body) => {
              setTheirs(undefined)
              send(body, theirs.etag)
            }}
            onClose={() => setTheirs(undefined)}
          />
        )}
        <WebhookFields
          form={form}
          onChange={setForm}
          faults={{ ...faultsByField(save.error, FIELDS), ...faults }}
          hidden={hidden}
        />
      </SummaryForm>
    </>
  )
}
