// URLs, data and coders without the rest of Foundation where the platform allows it: a program linked against
// the essentials alone starts faster and is a third of the size. Re-exported, so that one import is enough; by name,
// for a file that sees the whole of the essentials beside Foundation finds some names, such as TimeInterval, twice.
#if canImport(FoundationEssentials)
@_exported import struct FoundationEssentials.Data
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.Decimal
@_exported import class FoundationEssentials.JSONDecoder
@_exported import class FoundationEssentials.JSONEncoder
@_exported import class FoundationEssentials.PropertyListDecoder
@_exported import class FoundationEssentials.PropertyListEncoder
@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.URLComponents
#else
@_exported import Foundation
#endif
