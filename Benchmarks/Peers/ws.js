// The package `ws` under measurement: `ws.js URL KIND COUNT SIZE` prints the outcome as JSON. It sends no pings by itself.
const WebSocket = require('ws')

const [url, kind, countText, sizeText] = process.argv.slice(2)
const count = Number(countText)
const text = makeText(Number(sizeText))
const idleTime = 60_000

const open = () =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.on('open', () => resolve(socket))
    socket.on('error', reject)
  })
const send = (socket) => new Promise((resolve) => socket.send(text, resolve))
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Returns irregular letters, in which a moved one shows. */
function makeText(size) {
  let state = 1
  const codes = new Uint8Array(size).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return 97 + ((state >>> 24) % 26)
  })
  return Buffer.from(codes).toString('latin1')
}

/** Compares some echoes with what was sent, by a WebSocket of its own, so that measuring takes no time for it. */
async function verifyEchoes() {
  const socket = await open()
  for (let count = 0; count < 10; count++) {
    const echo = new Promise((resolve) => socket.once('message', (data) => resolve(data.toString())))
    await send(socket)
    if ((await echo) !== text) throw new Error('an echo differs')
  }
  socket.close()
}

/** Begins to measure, and returns a function that returns the outcome. */
function beginMeasuring() {
  const start = process.hrtime.bigint()
  const startedCPU = process.cpuUsage()
  return (units, more = {}) => {
    const usage = process.cpuUsage(startedCPU)
    return {
      seconds: Number(process.hrtime.bigint() - start) / 1e9,
      cpuSeconds: (usage.user + usage.system) / 1e6,
      peakMemory: process.resourceUsage().maxRSS / 1024,
      units,
      ...more,
    }
  }
}

/** Calls a function for each echo, and returns the outcome when there is none left. */
async function measureEchoes(begin, onEcho) {
  const socket = await open()
  const end = beginMeasuring()
  let echoes = 0
  const allReceived = new Promise((resolve) => {
    socket.on('message', (data) => {
      if (data.toString().length === text.length) echoes += 1
      if (echoes === count) resolve()
      else onEcho(socket)
    })
  })
  await begin(socket)
  await allReceived
  return end(echoes)
}

const work = {
  echoed: () =>
    measureEchoes(
      async (socket) => {
        for (let sent = 0; sent < count; sent++) await send(socket)
      },
      () => {},
    ),
  turns: () => measureEchoes(send, send),
  open: async () => {
    let sockets = await Promise.all(Array.from({ length: 100 }, open))
    gc()
    const before = process.memoryUsage().rss
    while (sockets.length < 100 + count) {
      sockets = sockets.concat(await Promise.all(Array.from({ length: 50 }, open)))
    }
    gc()
    const bytesPerSocket = (process.memoryUsage().rss - before) / count
    const end = beginMeasuring()
    await pause(idleTime)
    return end(sockets.length - 100, { bytesPerSocket })
  },
}

const verified = kind === 'open' ? Promise.resolve() : verifyEchoes()
verified.then(() => work[kind]()).then((outcome) => {
  console.log(JSON.stringify(outcome))
  process.exit(0)
})
