import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// The codec of SwiftNIO with what a client has above it: texts as strings, and `send` that waits.
struct NIOClient: SocketClient {
    func open(_ url: String, onText: @escaping @Sendable (String) -> Void) async throws -> any OpenSocket {
        guard let url = URL(string: url), let host = url.host, let port = url.port else { throw Failure("\(url)") }
        let upgrade = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(maxFrameSize: 1 << 24) {
                        channel, _ in
                        channel.pipeline.addHandler(FrameHandler(onText: onText)).map { channel }
                    }
                    let head = HTTPRequestHead(
                        version: .http1_1, method: .GET, uri: url.path, headers: ["Host": "\(host):\(port)"])
                    let configuration = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
                        upgradeRequestHead: head, upgraders: [upgrader],
                        notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
                    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: .init(upgradeConfiguration: configuration))
                }
            }
        guard let channel = try await upgrade.get() else { throw Failure("the server does not upgrade") }
        return Open(channel: channel)
    }

    private final class Open: OpenSocket {
        private let channel: any Channel

        init(channel: any Channel) {
            self.channel = channel
        }

        deinit {
            channel.close(promise: nil)
        }

        func send(_ text: String) async throws {
            let data = channel.allocator.buffer(string: text)
            try await channel.writeAndFlush(
                WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: data))
        }
    }
}

/// Passes on the texts of one connection, and answers pings.
private final class FrameHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let onText: @Sendable (String) -> Void

    init(onText: @escaping @Sendable (String) -> Void) {
        self.onText = onText
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            onText(String(buffer: frame.data))
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data)
            context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
        default: break
        }
    }
}
