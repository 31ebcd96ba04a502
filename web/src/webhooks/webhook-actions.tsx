import { ActionIcon, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { IconDots } from '../common/ui/icons.ts'
import { DeleteDialog, RegenerateDialog } from './webhook-dialogs.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly webhook: Webhook
  readonly isBusy: boolean
  /** Activates or deactivates the webhook. */
  readonly onToggle: () => void
}

/** Further actions for a webhook. Those that cannot be undone stand apart. */
export function WebhookMenu({ webhook, isBusy, onToggle }: Props) {
  const mayWrite = useMay('webhooks.write')
  const mayRegenerate = useMay('webhooks.regenerate_secret')
  const [open, setOpen] = useState<'regenerate' | 'delete'>()
  const button = useRef<HTMLButtonElement>(null)
  if (!mayWrite && !mayRegenerate) return null
  const close = () => {
    setOpen(undefined)
    // Wait until the dialog has closed. It would return the focus to the menu's item, which is gone.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <>
      <Menu position="bottom-end" returnFocus={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            ref={button}
            className="square-button"
            variant="default"
            loading={isBusy}
            aria-label={texts.moreActions}
          >
            <IconDots size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite && (
            <Menu.Item component={Link} href={`/webhooks/${webhook.id}/edit`}>
              {texts.edit}
            </Menu.Item>
          )}
          {mayWrite && (
            <Menu.Item onClick={onToggle}>{webhook.is_active ? texts.deactivate : texts.activate}</Menu.Item>
          )}
          {mayRegenerate && <Menu.Item onClick={() => setOpen('regenerate')}>{texts.newSecret}</Menu.Item>}
          {mayWrite && (
            <>
              <Menu.Divider />
              <Menu.Item color="var(--bad)" onClick={() => setOpen('delete')}>
                {texts.delete}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'regenerate' && <RegenerateDialog webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </>
  )
}
