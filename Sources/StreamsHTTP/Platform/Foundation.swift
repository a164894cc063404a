// URLs, data and coders from FoundationEssentials, if the platform has it: a program that links only the essentials
// starts faster and is a third of the size. They are re-exported, so that one import is enough, and by name: names such
// as TimeInterval are ambiguous in a file that imports all of FoundationEssentials and Foundation, and Apple's Foundation
// brings Combine, whose names are those of Streams.
#if canImport(FoundationEssentials)
@_exported import struct FoundationEssentials.Data
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.Decimal
@_exported import class FoundationEssentials.JSONDecoder
@_exported import class FoundationEssentials.JSONEncoder
@_exported import class FoundationEssentials.PropertyListDecoder
@_exported import class FoundationEssentials.PropertyListEncoder
@_exported import protocol FoundationEssentials.LocalizedError
@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.URLComponents
#else
@_exported import struct Foundation.Data
@_exported import struct Foundation.Date
@_exported import struct Foundation.Decimal
@_exported import class Foundation.JSONDecoder
@_exported import class Foundation.JSONEncoder
@_exported import class Foundation.PropertyListDecoder
@_exported import class Foundation.PropertyListEncoder
@_exported import protocol Foundation.LocalizedError
@_exported import struct Foundation.URL
@_exported import struct Foundation.URLComponents
#endif

// The platform's C library.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Darwin)
@_exported import Darwin
#else
#error("No C library is known for this platform.")
#endif
