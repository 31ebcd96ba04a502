/** @typedef {{ title: string, unit: string, bars: readonly { name: string, value: number | undefined }[] }} Panel */

const WIDTH = 760
const LABEL_WIDTH = 250
const BAR_HEIGHT = 22
const PANEL_GAP = 46
const COLOURS = { bar: '#2f6f9f', text: '#222222', back: '#ffffff' }

const escaped = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Draws horizontal bars, one panel below the other. The longest bar of a panel fills its width.
 *
 * @param {readonly Panel[]} panels
 * @returns {string} SVG
 */
export function drawChart(panels) {
  let y = 10
  const parts = []
  for (const { title, unit, bars } of panels) {
    const longest = Math.max(...bars.map(({ value = 0 }) => value), 1e-9)
    parts.push(text(10, y + 16, `${title} (${unit})`, 'bold'))
    y += 26
    for (const { name, value } of bars) {
      const width = ((value ?? 0) / longest) * (WIDTH - LABEL_WIDTH - 100)
      parts.push(text(10, y + 15, name))
      parts.push(
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="${BAR_HEIGHT - 6}" fill="${COLOURS.bar}"/>`,
      )
      const shown =
        value === undefined ? 'cannot' : value.toLocaleString('en-US', { maximumSignificantDigits: 4 })
      parts.push(text(LABEL_WIDTH + width + 6, y + 13, shown))
      y += BAR_HEIGHT
    }
    y += PANEL_GAP - BAR_HEIGHT
  }
  const size = `width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}"`
  const back = `<rect width="${WIDTH}" height="${y}" fill="${COLOURS.back}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="13">\n${[back, ...parts].join('\n')}\n</svg>\n`
}

/** @param {number} x @param {number} y @param {string} content @param {'normal' | 'bold'} [weight] */
const text = (x, y, content, weight = 'normal') =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="${COLOURS.text}" font-weight="${weight}">${escaped(content)}</text>`
