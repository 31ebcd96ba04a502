import { Button, Stack, Textarea, Text } from '@mantine/core'
import { toLocalInput } from '../common/format/local-times.ts'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import { isRefusal } from '../common/api/refusal.ts'
import { etagOf } from '../common/api/transport.ts'
import type { Key, KeyChange } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { ExpiryInput } from './expiry-input.tsx'
import { expiryOf } from './expiry.ts'
import { changedFields, formOf } from './key-form.ts'
import { isAlive, mayChange } from './key-access.ts'
import { ScopePicker } from './scope-picker.tsx'
import { Form } from '../common/ui/form.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

const FIELDS = ['name', 'description', 'scopes', 'expires_at']

/** Name, description, scopes and expiry of a key. It sends only what the user changed. */
export function KeySettings({ apiKey }: { apiKey: Key }) {
  const session = useSession()
  const change = useChange<Key>()
  // The key as the form began with it. The key itself is read again while the form is open.
  const [base, setBase] = useState(apiKey)
  const form = useForm({ initialValues: formOf(apiKey) })
  const { values } = form
  const isOvertaken = isRefusal(change.error, 'PRECONDITION_FAILED')
  if (!mayChange(session, apiKey))
    return <Text>{texts.scopesAndWho({ scopes: apiKey.scopes.join(', ') })}</Text>
  const check = () => {
    const isWhole = expiryOf(values.expiry, values.customExpiry, new Date()) !== undefined
    if (!isWhole) form.setFieldError('expires_at', texts.chooseDate)
    return isWhole
  }
  const save = form.onSubmit(() => {
    const body: KeyChange = changedFields(base, values)
    // A list of scopes replaces the whole list, so it must not replace one that the user has not seen.
    const ifMatch = body.scopes && { ifMatch: etagOf(isOvertaken ? apiKey : base) }
    change.mutate(
      { method: 'PATCH', path: `/keys/${apiKey.id}`, body, ...ifMatch },
      {
        onSuccess: (saved) => {
          setBase(saved)
          form.setInitialValues(formOf(saved))
          form.reset()
          notifications.show({ message: texts.keySaved })
        },
        onError: (error) => form.setErrors(faultsByField(error, FIELDS)),
      },
    )
  })
  return (
    <>
      <UnsavedGuard isOn={form.isDirty()} />
      <Form onSubmit={save} check={check}>
        <Stack maw={640}>
          <TextField
            name="name"
            label={texts.name}
            required
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <Textarea label={texts.description} maxLength={2_000} {...form.getInputProps('description')} />
          {isAlive(apiKey) ? (
            <>
              <ScopePicker
                chosen={values.scopes}
                onChange={(scopes) => form.setFieldValue('scopes', scopes)}
                error={form.errors['scopes'] as string | undefined}
              />
              <ExpiryInput
                choice={values.expiry}
                custom={values.customExpiry}
                onChange={(expiry, customExpiry) => {
                  form.setValues({
                    expiry,
                    customExpiry: customExpiry || (expiry === values.expiry ? '' : toLocalInput(new Date())),
                  })
                  form.clearFieldError('expires_at')
                }}
                error={form.errors['expires_at'] as string | undefined}
              />
            </>
          ) : (
            <Text size="sm">{texts.noLongerWorks}</Text>
          )}
          {change.error && <RefusalNotice error={change.error} />}
          {isOvertaken && <Text size="sm">{texts.savedNow({ value: apiKey.scopes.join(', ') })}</Text>}
          <div>
            <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
              {texts.save}
            </Button>
          </div>
        </Stack>
      </Form>
    </>
  )
}
