@_exported import Foundation
@_exported import StreamsHTTP

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
