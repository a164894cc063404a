import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A server that sends each message of a WebSocket back.
///
/// It takes the frames apart by itself and unmasks whole words: the codec of SwiftNIO would take longer than most
/// clients.
public struct WebSocketServer: Sendable {
    public let port: Int
    private let channel: any Channel

    public init() async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 16384)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                let upgrader = NIOWebSocketServerUpgrader(
                    shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
                    upgradePipelineHandler: { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            // In front of the codec, to which it passes nothing.
                            try channel.pipeline.syncOperations.addHandler(EchoHandler(), position: .first)
                        }
                    })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Waits for the end of the server.
    public func wait() async throws {
        try await channel.closeFuture.get()
    }
}

/// Answers the frames of one connection.
private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var unread = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = Self.unwrapInboundIn(data)
        unread.writeBuffer(&part)
        var output = context.channel.allocator.buffer(capacity: unread.readableBytes)
        var isClosed = false
        while !isClosed, let frame = unread.readFrame() {
            isClosed = frame.opcode == .connectionClose
            output.write(answerTo: frame)
        }
        unread.discardReadBytes()
        context.writeAndFlush(Self.wrapOutboundOut(output), promise: nil)
        if isClosed { context.close(promise: nil) }
    }

    /// Reads no further than the client does.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: context.channel.isWritable).whenFailure { _ in }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A frame of a client.
private struct Frame {
    /// The opcode, and whether the frame is the last of a message.
    let first: UInt8
    /// The key that the payload is masked with, as its bytes are in memory.
    let key: UInt32
    let payload: ByteBuffer

    var opcode: WebSocketOpcode? { WebSocketOpcode(encodedWebSocketOpcode: first & 0x0F) }
}

extension ByteBuffer {
    /// Reads a frame of a client; `nil` if it is not whole yet.
    fileprivate mutating func readFrame() -> Frame? {
        var rest = self
        guard let (first, second) = rest.readMultipleIntegers(as: (UInt8, UInt8).self) else { return nil }
        let length: Int? =
            switch second & 0x7F {
            case 126: rest.readInteger(as: UInt16.self).map { Int($0) }
            case 127: rest.readInteger(as: UInt64.self).map { Int($0) }
            case let short: Int(short)
            }
        guard let length, let key = rest.readInteger(endianness: .host, as: UInt32.self),
            let payload = rest.readSlice(length: length)
        else { return nil }
        moveReaderIndex(to: rest.readerIndex)
        return Frame(first: first, key: key, payload: payload)
    }

    /// Writes the frame that answers a frame.
    fileprivate mutating func write(answerTo frame: Frame) {
        writeInteger(frame.opcode == .ping ? 0x8A : frame.first)
        let length = frame.payload.readableBytes
        switch length {
        case ..<126:
            writeInteger(UInt8(length))
        case ...0xFFFF:
            writeInteger(UInt8(126))
            writeInteger(UInt16(length))
        default:
            writeInteger(UInt8(127))
            writeInteger(UInt64(length))
        }
        writeImmutableBuffer(frame.payload)
        withUnsafeMutableReadableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes.suffix(length)).unmask(with: frame.key)
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func unmask(with key: UInt32) {
        let wide = UInt64(key) << 32 | UInt64(key)
        let wholeCount = count & ~7
        for place in stride(from: 0, to: wholeCount, by: 8) {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            storeBytes(of: word ^ wide, toByteOffset: place, as: UInt64.self)
        }
        for place in wholeCount..<count { self[place] ^= UInt8(truncatingIfNeeded: key >> (place % 4 * 8)) }
    }
}
