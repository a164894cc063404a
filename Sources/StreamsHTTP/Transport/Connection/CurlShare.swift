import CLibcurl

/// The names and the sessions of TLS that the handles of a transport share, although they are in several multi handles.
///
/// Only the engine's thread uses it, so libcurl needs no locks.
final class CurlShare {
    let pointer: OpaquePointer

    init() throws(TransportFailure) {
        guard let pointer = curl_share_init() else { throw TransportFailure(system: ENOMEM) }
        self.pointer = pointer
        for data in [CurlShareNames, CurlShareTLSSessions] { streams_curl_share(pointer, data) }
    }

    deinit {
        curl_share_cleanup(pointer)
    }
}
