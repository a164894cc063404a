import CLibcurl

// What libcurl calls while it works. Callbacks copy bytes and set marks; nobody is told anything before libcurl
// has returned.

extension CurlTransfer {
    // Safe because it is only ever read.
    nonisolated(unsafe) static var callbacks = CurlCallbacks(
        header: { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return CurlTransfer.from(context).readHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        },
        write: { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return CurlTransfer.from(context).readBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        },
        read: { buffer, size, count, context in
            guard let buffer, let context else { return CurlReadAbort }
            return CurlTransfer.from(context).writeBody(
                UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        },
        seek: { context, offset, origin in
            guard let context, offset == 0, origin == SEEK_SET else { return CInt(CurlSeekImpossible) }
            let isDone = CurlTransfer.from(context).rewindBody()
            return CInt(isDone ? CurlSeekDone : CurlSeekImpossible)
        },
        resolve: { _, _, context in
            guard let context else { return 1 }
            return CurlTransfer.from(context).startResolving()
        },
        open_socket: { context, _, address in
            guard let context, let address else { return CInt(CurlBadSocket) }
            return CurlTransfer.from(context).openSocket(address)
        },
        connected: { context, _, _, _, _ in
            guard let context else { return 1 }
            CurlTransfer.from(context).connected()
            return 0
        }
    )
}
