import Foundation
import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

/// Field blocks that are encoded and decoded by another implementation of HPACK, with tables that change their size.
@Suite(.needsHPACK, .reservesDescriptors) struct IndependentFieldBlockTests {
    /// A connection's blocks, in their order.
    private struct Connection: Codable {
        struct Block: Codable {
            /// The size of the table from this block on; `nil` if it does not change.
            var tableSize: Int?
            var fields: [[Data]]
            var bytes = Data()
        }
        var blocks: [Block]
    }

    private static let program = """
        import base64, hpack, json, sys
        decoded = base64.b64decode
        def encoded(part): return base64.b64encode(part).decode()
        connections = json.load(sys.stdin)
        for number, connection in enumerate(connections):
            encoder, decoder = hpack.Encoder(), hpack.Decoder()
            decoder.max_header_list_size = 1 << 24
            for block in connection["blocks"]:
                if block.get("tableSize") is not None:
                    encoder.header_table_size = block["tableSize"]
                if sys.argv[1] == "encode":
                    fields = [
                        (hpack.NeverIndexedHeaderTuple if index % 5 == 4 else hpack.HeaderTuple)(*map(decoded, field))
                        for index, field in enumerate(block["fields"])]
                    block["bytes"] = encoded(encoder.encode(fields, huffman=number % 2 == 0))
                else:
                    fields = decoder.decode(decoded(block["bytes"]), raw=True)
                    block["fields"] = [[encoded(bytes(part)) for part in field[:2]] for field in fields]
        print(json.dumps(connections))
        """

    private static func run(_ mode: String, _ connections: [Connection]) throws -> [Connection] {
        let output = try Program.env.output(
            of: [try #require(hpackPython), "-c", program, mode], input: JSONEncoder().encode(connections))
        return try JSONDecoder().decode([Connection].self, from: output)
    }

    /// Connections whose fields repeat as those of messages do, with values of all bytes.
    private static func connections() -> [Connection] {
        var random = SplitMix64(seed: 9)
        let names = FieldTable.fixed.map(\.name) + ["x-request-id", "x-a", "x-b", "traceparent"]
        return (0..<200).map { _ in
            let values = (0..<8).map { _ in
                Data(
                    (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                )
            }
            let texts = ["200", "GET", "/", "gzip, deflate", "text/html", "a=b; c=d"].map { Data($0.utf8) }
            return Connection(
                blocks: (0..<30).map { _ in
                    Connection.Block(
                        tableSize: Bool.random(using: &random) ? Int.random(in: 0...4096, using: &random) : nil,
                        fields: (0..<Int.random(in: 0...20, using: &random)).map { _ in
                            let name = names.randomElement(using: &random) ?? ""
                            return [Data(name.utf8), (values + texts).randomElement(using: &random) ?? Data()]
                        })
                })
        }
    }

    @Test func decodesItsBlocks() throws {
        let connections = try Self.run("encode", Self.connections())
        for connection in connections {
            var decoder = FieldBlockDecoder()
            for block in connection.blocks {
                let fields = try block.bytes.withUnsafeBytes { try decoder.decode($0, limits: .init()) }
                #expect(fields?.map { [Data($0.name.utf8), Data($0.bytes)] } == block.fields)
            }
        }
        #expect(connections.count == 200)
    }

    @Test func encodesBlocksThatItDecodes() throws {
        var connections = Self.connections()
        for index in connections.indices {
            var encoder = FieldBlockEncoder()
            for place in connections[index].blocks.indices {
                let block = connections[index].blocks[place]
                if let size = block.tableSize { encoder.setMaxTableSize(size) }
                var bytes: [UInt8] = []
                encoder.begin(&bytes)
                for (number, field) in block.fields.enumerated() {
                    encoder.append(
                        HTTPHeaders.Field(name: String(decoding: field[0], as: UTF8.self), bytes: field[1]),
                        [.added, .added, .omitted, .never][number % 4], to: &bytes)
                }
                connections[index].blocks[place].bytes = Data(bytes)
                connections[index].blocks[place].fields = []
            }
        }
        let decoded = try Self.run("decode", connections)
        for (connection, original) in zip(decoded, Self.connections()) {
            #expect(connection.blocks.map(\.fields) == original.blocks.map(\.fields))
        }
        #expect(decoded.count == 200)
    }
}

/// The interpreter that has the other implementation, if any.
private let hpackPython = PythonInterpreter.having("hpack")

extension Trait where Self == ConditionTrait {
    /// Skips a test where hpack is missing, unless the environment has `STREAMS_REQUIRE_SERVERS`.
    fileprivate static var needsHPACK: Self {
        .enabled("no hpack, neither in STREAMS_HTTPBIN_PYTHON's interpreter nor in python3's") {
            Program.areRequired || hpackPython != nil
        }
    }
}
