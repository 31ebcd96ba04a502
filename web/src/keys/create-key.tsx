import { Alert, Radio, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { CreatedKey } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { FormEnd } from '../common/ui/form-end.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { SummaryForm } from '../common/ui/summary-form.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { AllowlistEditor } from './allowlist-editor.tsx'
import { ExpiryInput } from './expiry-input.tsx'
import { expiryOf } from './expiry.ts'
import { KeySentence } from './key-sentence.tsx'
import { emptyKeyForm, newKeyOf, type NewKeyForm } from './new-key-form.ts'
import { NewKeyShown } from './new-key-shown.tsx'
import { OwnerInput } from './owner-input.tsx'
import { withoutIncluded } from './scope-grid.ts'
import { ScopePicker } from './scope-picker.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

const FIELDS = ['name', 'description', 'scopes', 'type', 'user_id', 'expires_at', 'ip_allowlist']

export function CreateKey() {
  const [, navigate] = useLocation()
  const maySetAny = useMay('keys.any')
  const create = useChange<CreatedKey>()
  // Fixed for the form, so that a repeat after a lost answer sends the same body and creates no second key.
  const [openedAt] = useState(() => new Date())
  const form = useForm<NewKeyForm>({
    initialValues: emptyKeyForm(maySetAny ? 'Shared' : 'Personal'),
  })
  const { values } = form

  const expires_at = expiryOf(values.expiry, values.customExpiry, openedAt)
  const check = () => {
    const hasScopes = values.scopes.length > 0
    form.setErrors({
      ...(!hasScopes && { scopes: texts.chooseScope }),
      ...(expires_at === undefined && { expires_at: texts.chooseDate }),
    })
    return hasScopes && expires_at !== undefined
  }
  const submit = form.onSubmit(() => {
    if (expires_at === undefined) return
    create.mutate(
      { method: 'POST', path: '/keys', body: newKeyOf(values, expires_at) },
      { onError: (error) => form.setErrors(faultsByField(error, FIELDS)) },
    )
  })

  return (
    <>
      <PageTitle title={texts.createApiKey} />
      {create.data && (
        <NewKeyShown apiKey={create.data.key} onDone={() => navigate(`/keys/${create.data.id}`)} />
      )}
      <UnsavedGuard isOn={!create.data && form.isDirty()} />
      <SummaryForm
        check={check}
        onSubmit={submit}
        title={texts.whatItMay}
        summary={
          <KeySentence
            scopes={withoutIncluded(values.scopes)}
            allowlist={values.ip_allowlist.split('\n').filter((line) => line.trim() !== '')}
            expiresAt={expires_at}
          />
        }
        actions={
          <>
            {values.scopes.includes('admin:all') && (
              <Alert color="red" variant="outline" title={texts.mayEverything}>
                {texts.preferFew}
              </Alert>
            )}
            <FormEnd error={create.error} label={texts.createKey} isBusy={create.isPending} backTo="/keys" />
          </>
        }
      >
        <TextField name="name" label={texts.name} required maxLength={255} {...form.getInputProps('name')} />
        <Textarea label={texts.description} maxLength={2_000} {...form.getInputProps('description')} />
        <Radio.Group label={texts.type} {...form.getInputProps('type')}>
          <div className="choices">
            <Radio value="Personal" label={texts.personal} description={texts.personalMeans} />
            <Radio
              value="Shared"
              label={texts.shared}
              disabled={!maySetAny}
              description={maySetAny ? texts.sharedMeans : texts.onlyAdminsShare}
            />
          </div>
        </Radio.Group>
        {maySetAny && values.type === 'Personal' && <OwnerInput {...form.getInputProps('user_id')} />}
        <ScopePicker
          chosen={values.scopes}
          onChange={(scopes) => form.setFieldValue('scopes', scopes)}
          error={form.errors['scopes'] as string | undefined}
        />
        <ExpiryInput
          choice={values.expiry}
          custom={values.customExpiry}
          onChange={(expiry, customExpiry) => {
            form.setValues({ expiry, customExpiry })
            form.clearFieldError('expires_at')
          }}
          error={form.errors['expires_at'] as string | undefined}
        />
        <AllowlistEditor
          text={values.ip_allowlist}
          onChange={(text) => form.setFieldValue('ip_allowlist', text)}
          error={form.errors['ip_allowlist'] as string | undefined}
        />
      </SummaryForm>
    </>
  )
}
