import { Button, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import type { FilteredPage, SavedFilter } from '../api/wire.ts'
import { useMay } from '../session/context.ts'
import { useOne } from '../session/queries.ts'
import { ForeignName } from '../ui/foreign-text.tsx'
import { IconChevronDown } from '../ui/icons.ts'
import { ManageDialog } from './manage-dialog.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly page: FilteredPage
  /** The current filters as a query string. Empty: none is set. */
  readonly query: string
  readonly onChoose: (query: string) => void
}

/**
 * A menu of the user's saved filters for a page. It applies a filter, saves the current ones, or opens the dialog to manage
 * them.
 */
export function SavedFilters({ page, query, onChoose }: Props) {
  const [dialog, setDialog] = useState<'save' | 'manage'>()
  const mayChange = useMay('filters.write')
  const button = useRef<HTMLButtonElement>(null)
  const { data } = useOne<readonly SavedFilter[]>('/saved-filters')
  const saved = (data?.item ?? []).filter((filter) => filter.page === page)
  const close = () => {
    setDialog(undefined)
    // Wait one frame. The closing dialog first tries to focus its menu item, which is gone.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <>
      <Menu position="bottom-start" returnFocus={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            ref={button}
            variant="default"
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
          >
            {texts.savedFilters}
          </Button>
        </Menu.Target>
        <Menu.Dropdown className="saved-filters">
          {saved.map((filter) => (
            <Menu.Item key={filter.id} onClick={() => onChoose(filter.query)}>
              <ForeignName text={filter.name} />
            </Menu.Item>
          ))}
          {saved.length === 0 && <Menu.Label>{texts.none}</Menu.Label>}
          {mayChange && query !== '' && (
            <Menu.Item onClick={() => setDialog('save')}>{texts.saveThese}</Menu.Item>
          )}
          {mayChange && saved.length > 0 && (
            <Menu.Item onClick={() => setDialog('manage')}>{texts.renameOrDelete}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveDialog page={page} query={query} onClose={close} />}
      {dialog === 'manage' && <ManageDialog saved={saved} onClose={close} />}
    </>
  )
}
