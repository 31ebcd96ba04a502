import { Button, Fieldset, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { differences, settingText, withoutFields, type Difference, type Field } from './webhook-merge.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly base: Webhook
  readonly mine: WebhookChange
  readonly theirs: Webhook
  readonly onSave: (body: WebhookChange) => void
  readonly onClose: () => void
}

/** Opens if somebody else saved the webhook while it was edited. It shows both versions, and the user chooses field by field. */
export function MergeDialog({ base, mine, theirs, onSave, onClose }: Props) {
  const [dropped, setDropped] = useState<readonly Field[]>([])
  const found = differences(base, mine, theirs)
  const choose = (field: Field, isMine: boolean) =>
    setDropped(isMine ? dropped.filter((each) => each !== field) : [...dropped, field])
  return (
    <Dialog title={texts.changedByOther} onClose={onClose} size="xl">
      <Stack>
        <Text>{texts.compareAndSave}</Text>
        {found.length === 0 && <Text>{texts.sameAsYours}</Text>}
        {found.map((difference) => (
          <Compared
            key={difference.field}
            difference={difference}
            isMine={!dropped.includes(difference.field)}
            onChoose={(isMine) => choose(difference.field, isMine)}
          />
        ))}
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            {texts.backToTheForm}
          </Button>
          <Button onClick={() => onSave(withoutFields(mine, dropped))}>{texts.saveThisChoice}</Button>
        </DialogFoot>
      </Stack>
    </Dialog>
  )
}

type ComparedProps = {
  readonly difference: Difference
  readonly isMine: boolean
  readonly onChoose: (isMine: boolean) => void
}

function Compared({ difference, isMine, onChoose }: ComparedProps) {
  const { name, theirs } = difference
  const theirText = <ForeignText text={settingText(theirs, difference.field)} limit={300} />
  if (!('mine' in difference)) return <Text>{texts.untouched({ name, now: theirText })}</Text>
  return (
    <Fieldset legend={name}>
      <Radio.Group
        aria-label={name}
        value={isMine ? 'mine' : 'theirs'}
        onChange={(value) => onChoose(value === 'mine')}
      >
        <Stack gap="xs">
          <Radio
            value="mine"
            label={
              <>
                {texts.yours}{' '}
                <ForeignText text={settingText(difference.mine, difference.field)} limit={300} />
              </>
            }
          />
          <Radio value="theirs" label={<>{texts.theirs({ value: theirText })}</>} />
        </Stack>
      </Radio.Group>
    </Fieldset>
  )
}
