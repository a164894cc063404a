import CLibcurl

/// The content codings that a response is asked for in (RFC 9110, section 12.5.3).
///
/// libcurl would write them by itself, in two steps that take longer than all other lines of a request.
enum CurlCodings {
    /// Everything that libcurl can decode; `nil` where that is nothing.
    private static let all = list([
        (CurlFeatureZlib, "deflate, gzip"), (CurlFeatureBrotli, "br"), (CurlFeatureZstandard, "zstd"),
    ])

    /// What one read inflates to is within bounds of these; of brotli and zstd it may be any size.
    private static let bounded = list([(CurlFeatureZlib, "deflate, gzip")])

    /// What requests of a profile ask for; `nil` where they leave it to the server.
    static func asked(for profile: CurlProfile) -> String? {
        guard profile.connection.decodesContent else { return nil }
        return profile.isBounded ? all : bounded
    }

    private static func list(_ codings: [(feature: CurlFeature, names: String)]) -> String? {
        let features = curl_version_info(0).map { $0.pointee.features } ?? 0
        let known = codings.filter { features & CInt($0.feature.rawValue) != 0 }.map(\.names)
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}
