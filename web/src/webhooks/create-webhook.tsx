import { useState } from 'react'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { CreatedWebhook } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { FormEnd } from '../common/ui/form-end.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { SummaryForm } from '../common/ui/summary-form.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { SecretShown } from './secret-shown.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import { bodyOf, faultsOf, NEW_WEBHOOK } from './webhook-form.ts'
import { FIELDS } from './webhook-merge.ts'
import { WebhookSummary } from './webhook-summary.tsx'
import { texts } from './texts.ts'

export function CreateWebhook() {
  const [, navigate] = useLocation()
  const [form, setForm] = useState(NEW_WEBHOOK)
  const [hasTried, setTried] = useState(false)
  const create = useChange<CreatedWebhook>()
  const check = () => {
    setTried(true)
    return Object.keys(faultsOf(form)).length === 0
  }
  return (
    <>
      <PageTitle title={texts.createWebhook} />
      {create.data && (
        <SecretShown
          title={texts.secretOfNew}
          secret={create.data.secret}
          onDone={() => navigate(`/webhooks/${create.data.id}`)}
        />
      )}
      <UnsavedGuard isOn={!create.data && JSON.stringify(form) !== JSON.stringify(NEW_WEBHOOK)} />
      <SummaryForm
        check={check}
        onSubmit={() => create.mutate({ method: 'POST', path: '/webhooks', body: bodyOf(form) })}
        title={texts.whatItDoes}
        summary={<WebhookSummary form={form} />}
        actions={
          <FormEnd
            error={create.error}
            label={texts.createWebhook}
            isBusy={create.isPending}
            backTo="/webhooks"
          />
        }
      >
        <WebhookFields
          form={form}
          onChange={setForm}
          faults={{ ...faultsByField(create.error, FIELDS), ...(hasTried && faultsOf(form)) }}
        />
      </SummaryForm>
    </>
  )
}
