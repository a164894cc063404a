import NIOCore
import NIOPosix
import NIOSSL

/// A server that sends an event to each connection at once, and then one in each interval.
public struct FeedServer: Sendable {
    /// The data of each event.
    public static let data = "{\"text\":\"an event every now and then\"}"

    public let port: Int
    private let channel: any Channel

    /// - Parameters:
    ///   - interval: The time between two events.
    ///   - identity: The paths of a certificate and its key, with which the server speaks TLS.
    public init(every interval: TimeAmount, identity: (certificate: String, key: String)? = nil) async throws {
        let context = try identity.map { identity in
            let chain = try NIOSSLCertificate.fromPEMFile(identity.certificate).map(NIOSSLCertificateSource.certificate)
            let key = try NIOSSLPrivateKey(file: identity.key, format: .pem)
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
        }
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 16384)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(FeedHandler(interval: interval))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Waits for the end of the server.
    public func wait() async throws {
        try await channel.closeFuture.get()
    }
}

/// Sends events to one connection.
private final class FeedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let event = ByteBuffer(string: "data: \(FeedServer.data)\n\n")
    private static let head = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")

    private let interval: TimeAmount
    private var events: RepeatedTask?

    init(interval: TimeAmount) {
        self.interval = interval
    }

    /// Begins with the first bytes: the client sends nothing but one request.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard events == nil else { return }
        let channel = context.channel
        channel.write(Self.head, promise: nil)
        channel.writeAndFlush(Self.event, promise: nil)
        events = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            channel.writeAndFlush(Self.event, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        events?.cancel()
    }
}
