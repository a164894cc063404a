import Foundation
import Streams
import Testing

@Suite struct DemandTests {
    typealias Demand = Subscribers.Demand

    @Test func sumsSaturate() {
        #expect(Demand.max(2) + Demand.max(3) == 5)
        #expect(Demand.max(.max) + Demand.max(1) == .unlimited)
        #expect(Demand.max(.max) + 1 == .unlimited)
        #expect(Demand.unlimited + Demand.max(1) == .unlimited)
        #expect(Demand.max(1) + Demand.unlimited == .unlimited)
        #expect(Demand.max(5) + -3 == 2)
    }

    @Test func differencesStopAtZero() {
        #expect(Demand.max(5) - Demand.max(3) == 2)
        #expect(Demand.max(3) - Demand.max(5) == .none)
        #expect(Demand.max(3) - 5 == .none)
        #expect(Demand.max(3) - Demand.unlimited == .none)
        #expect(Demand.unlimited - Demand.unlimited == .unlimited)
        #expect(Demand.unlimited - 5 == .unlimited)
        #expect(Demand.max(3) - Int.min == .none)
    }

    @Test func productsSaturate() {
        #expect(Demand.max(3) * 4 == 12)
        #expect(Demand.max(.max) * 2 == .unlimited)
        #expect(Demand.unlimited * 0 == .unlimited)
    }

    @Test func unlimitedExceedsEveryNumber() {
        #expect(Demand.unlimited > .max(.max))
        #expect(Demand.unlimited > Int.max)
        #expect(!(Demand.unlimited <= Int.max))
        #expect(Int.max < Demand.unlimited)
        #expect(Demand.unlimited != Int.max)
        #expect(Demand.max(3) >= 3 && Demand.max(3) <= 3 && 3 >= Demand.max(3))
        #expect(Demand.max(2) < 3 && 3 > Demand.max(2) && Demand.max(2) < .max(3))
    }

    @Test func describesAndEncodesDemandAsInCombine() throws {
        #expect(Demand.unlimited.description == "unlimited")
        #expect(Demand.max(3).description == "max(3)")
        #expect(Demand.max(3).max == 3 && Demand.unlimited.max == nil)
        let encoded = try JSONEncoder().encode([Demand.max(3), .unlimited])
        #expect(String(decoding: encoded, as: UTF8.self) == "[3,9223372036854775808]")
        #expect(try JSONDecoder().decode([Demand].self, from: encoded) == [.max(3), .unlimited])
    }

    @Test func negativeDemandTraps() async {
        await #expect(processExitsWith: .failure) { _ = Subscribers.Demand.max(-1) }
    }

    @Test func encodesCompletionsAsInCombine() throws {
        struct Failure: Error, Codable, Equatable {
            let code: Int
        }
        let completions: [Subscribers.Completion<Failure>] = [.finished, .failure(Failure(code: 7))]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let encoded = try encoder.encode(completions)
        #expect(String(decoding: encoded, as: UTF8.self) == #"[{"success":true},{"error":{"code":7},"success":false}]"#)
        #expect(try JSONDecoder().decode([Subscribers.Completion<Failure>].self, from: encoded) == completions)
    }
}
