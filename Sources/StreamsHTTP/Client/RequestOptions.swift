/// How a request is made: the client's settings, each of which a request or endpoint may replace.
///
/// Every setting is optional; one that is `nil` leaves the decision to the client, and one that the client leaves
/// open too has the default named here.
public struct RequestOptions: Sendable {
    /// How long each part of the exchange may take.
    public var timeouts: Timeouts?
    /// Whether redirects are followed; up to 10 by default.
    public var redirects: RedirectPolicy?
    /// Whether failed attempts are repeated; not by default.
    public var retry: RetryPolicy?
    /// Which responses are errors; those whose status is not 2xx by default.
    public var validation: ResponseValidation?
    /// The largest body that is collected in memory, in decoded bytes; 64 MiB by default. Delivered chunks are
    /// bounded only where this is set, so that a stream may go on for weeks.
    public var maxBodySize: Int?
    /// How much is kept of the body of a response that is an error, or that another attempt is made for, in decoded
    /// bytes; 1 MiB by default, or ``maxBodySize`` where that is less. What goes beyond is left out.
    public var maxErrorBodySize: Int?
    /// How often progress is told; for every hundredth by default.
    public var progress: ProgressGranularity?
    /// How connections are made.
    public var connection: ConnectionOptions?
    /// Whether the client's ``HTTPClient/Configuration/authorization`` gives the request its credentials; not by
    /// default.
    public var requiresAuthorization: Bool?
    /// What a preview of the response is called; the URL without its scheme by default. See ``PreviewStore``.
    public var previewName: String?
    /// Whether identical requests that are under way at once share one exchange; not by default.
    ///
    /// Requests are identical where the client, the method, the URL, the header fields and these options agree. Only
    /// requests that are safe (RFC 9110, section 9.2.1), have no body and collect their response share. One that joins
    /// late is told what has happened so far, progress at its newest; each decodes for itself; an error is everybody's.
    /// The exchange ends when the last of them is cancelled. Its deadline counts from the first of them.
    public var sharesInFlight: Bool?

    public init() {}

    /// These options, with what they leave open taken from others.
    func merging(defaults: RequestOptions) -> RequestOptions {
        var merged = defaults
        if let timeouts { merged.timeouts = timeouts }
        if let redirects { merged.redirects = redirects }
        if let retry { merged.retry = retry }
        if let validation { merged.validation = validation }
        if let maxBodySize { merged.maxBodySize = maxBodySize }
        if let maxErrorBodySize { merged.maxErrorBodySize = maxErrorBodySize }
        if let progress { merged.progress = progress }
        if let connection { merged.connection = connection }
        if let requiresAuthorization { merged.requiresAuthorization = requiresAuthorization }
        if let previewName { merged.previewName = previewName }
        if let sharesInFlight { merged.sharesInFlight = sharesInFlight }
        return merged
    }
}

/// How long the parts of an exchange may take. `nil` means without limit.
public struct Timeouts: Hashable, Sendable {
    /// Until the connection stands, with name resolution and TLS.
    public var connect: Duration?
    /// Without a byte in either direction, as long as it is the peer that keeps silent: time in which the subscriber
    /// does not ask, or the body's source has nothing, does not count.
    public var idle: Duration?
    /// For everything together: attempts, redirects, waiting for a retry.
    public var total: Duration?

    public init(connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

/// How often progress is told.
public struct ProgressGranularity: Hashable, Sendable {
    let step: Double

    /// Every time so large a part of the whole has been transferred. Where the length is unknown, every 64 KiB.
    public static func fraction(_ step: Double) -> ProgressGranularity {
        ProgressGranularity(step: min(max(step, 0), 1))
    }

    /// With every chunk.
    public static let everyChunk = ProgressGranularity(step: 0)
}
