/// How a request is made: the client's settings, each of which a request or endpoint may replace.
///
/// Every setting is optional; one that is `nil` leaves the decision to the client, and one that the client leaves
/// open too has the default named here.
public struct RequestOptions: Sendable {
    private struct Fields: Sendable {
        var timeouts: Timeouts?
        var redirects: RedirectPolicy?
        var retry: RetryPolicy?
        var validation: ResponseValidation?
        var maxBodySize: Int?
        var maxErrorBodySize: Int?
        var progress: ProgressGranularity?
        var connection: ConnectionOptions?
        var requiresAuthorization: Bool?
        var previewName: String?
        var sharesInFlight: Bool?
    }

    // Each request under way has the options in several places, and most requests say nothing of their own.
    private var box: Box<Fields>

    private static let unsaid = Box(Fields())

    /// Leaves everything open.
    public init() {
        box = Self.unsaid
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// How long each part of the exchange may take.
    public var timeouts: Timeouts? {
        get { box.value.timeouts }
        set { fields.timeouts = newValue }
    }

    /// Whether redirects are followed; up to 10 by default.
    public var redirects: RedirectPolicy? {
        get { box.value.redirects }
        set { fields.redirects = newValue }
    }

    /// Whether failed attempts are repeated; not by default.
    public var retry: RetryPolicy? {
        get { box.value.retry }
        set { fields.retry = newValue }
    }

    /// Which responses are errors; those whose status is not 2xx by default.
    public var validation: ResponseValidation? {
        get { box.value.validation }
        set { fields.validation = newValue }
    }

    /// The largest body that is collected in memory, in decoded bytes; 64 MiB by default. Delivered chunks are
    /// bounded only where this is set, so that a stream may go on for weeks.
    public var maxBodySize: Int? {
        get { box.value.maxBodySize }
        set { fields.maxBodySize = newValue }
    }

    /// How much is kept of the body of a response that is an error, or that another attempt is made for, in decoded
    /// bytes; 1 MiB by default, or ``maxBodySize`` where that is less. What goes beyond is left out.
    public var maxErrorBodySize: Int? {
        get { box.value.maxErrorBodySize }
        set { fields.maxErrorBodySize = newValue }
    }

    /// How often progress is told; for every hundredth by default.
    public var progress: ProgressGranularity? {
        get { box.value.progress }
        set { fields.progress = newValue }
    }

    /// How connections are made.
    public var connection: ConnectionOptions? {
        get { box.value.connection }
        set { fields.connection = newValue }
    }

    /// Whether the client's ``HTTPClient/Configuration/authorization`` gives the request its credentials; not by
    /// default.
    public var requiresAuthorization: Bool? {
        get { box.value.requiresAuthorization }
        set { fields.requiresAuthorization = newValue }
    }

    /// What a preview of the response is called; the URL without its scheme by default. See ``PreviewStore``.
    public var previewName: String? {
        get { box.value.previewName }
        set { fields.previewName = newValue }
    }

    /// Whether identical requests that are under way at once share one exchange; not by default.
    ///
    /// Requests are identical where the client, the method, the URL, the header fields and these options agree. Only
    /// requests that are safe (RFC 9110, section 9.2.1), have no body and collect their response share. One that joins
    /// late is told what has happened so far, progress at its newest; each decodes for itself; an error is everybody's.
    /// The exchange ends when the last of them is cancelled. Its deadline counts from the first of them.
    public var sharesInFlight: Bool? {
        get { box.value.sharesInFlight }
        set { fields.sharesInFlight = newValue }
    }

    /// These options, with what they leave open taken from others.
    func merging(defaults: RequestOptions) -> RequestOptions {
        if box === Self.unsaid { return defaults }
        if defaults.box === Self.unsaid { return self }
        let own = box.value
        var merged = defaults.box.value
        merged.timeouts = own.timeouts ?? merged.timeouts
        merged.redirects = own.redirects ?? merged.redirects
        merged.retry = own.retry ?? merged.retry
        merged.validation = own.validation ?? merged.validation
        merged.maxBodySize = own.maxBodySize ?? merged.maxBodySize
        merged.maxErrorBodySize = own.maxErrorBodySize ?? merged.maxErrorBodySize
        merged.progress = own.progress ?? merged.progress
        merged.connection = own.connection ?? merged.connection
        merged.requiresAuthorization = own.requiresAuthorization ?? merged.requiresAuthorization
        merged.previewName = own.previewName ?? merged.previewName
        merged.sharesInFlight = own.sharesInFlight ?? merged.sharesInFlight
        return RequestOptions(Box(merged))
    }

    private init(_ box: Box<Fields>) {
        self.box = box
    }
}

extension RequestOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(reflecting: box.value) }
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

    /// Unless told otherwise: half a minute to connect, a minute of silence, and no limit on the whole.
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
