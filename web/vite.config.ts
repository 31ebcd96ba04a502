import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm start` wrote the settings of what runs in this checkout. */
const SERVICE_FILE = new URL('../.data/service.env', import.meta.url)

/** The api that the development server asks: API_URL, that of a running `npm start`, else the one on its default port. */
function apiAddress(): string {
  if (process.env['API_URL']) return process.env['API_URL']
  try {
    const port = parseEnv(readFileSync(SERVICE_FILE, 'utf8'))['PORT']
    return `http://127.0.0.1:${port ?? '3000'}`
  } catch {
    return 'http://127.0.0.1:3000'
  }
}

export default defineConfig(({ command }) => ({
  base: '/console/',
  plugins: [react()],
  // The api answers 404 below assets/, and the page for every other path without a file.
  build: {
    outDir: '../dist/console',
    emptyOutDir: true, // it lies outside of web/, so Vite would ask
    assetsDir: 'assets',
    // A data: URL in CSS would need a wider policy for fonts; images may have one.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
  },
  ...(command === 'serve' && {
    server: {
      host: '127.0.0.1',
      port: 5173,
      // The Host header stays, because the api compares it with Origin.
      proxy: { '/console/api': { target: apiAddress(), changeOrigin: false } },
    },
  }),
}))
