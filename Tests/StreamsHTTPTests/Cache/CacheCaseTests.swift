import Foundation
import Testing

@testable import StreamsHTTP

/// The public cases for private caches, played against the rules alone.
@Suite struct CacheCaseTests {
    private static let date = Date(timeIntervalSince1970: 1_750_000_000)

    private static func verdict(of test: CacheCase) -> CacheCasePlayer.Verdict {
        var player = CacheCasePlayer(test)
        var cache = CacheSimulation(now: date)
        for index in test.requests.indices {
            let (origin, now) = (player.origin, cache.now)
            player.take(cache.perform(player.request(at: index)) { origin.react(to: $0, at: now) })
            cache.now += player.pause(after: index)
        }
        return player.verdict
    }

    @Test(arguments: [(CacheCase.Kind.required, 137), (.optimal, 77), (.check, 86)])
    func followsTheCases(kind: CacheCase.Kind, count: Int) throws {
        let cases = try CacheCase.all().filter { $0.kind == kind }
        #expect(cases.count == count)
        let deviations = CacheCase.deviations
        for test in cases {
            let verdict = Self.verdict(of: test)
            let reason = deviations[test.id]
            #expect((verdict == .holds) == (reason == nil), "\(test.id): \(verdict), \(reason ?? "without a reason")")
        }
    }

    /// No browser follows the two required cases either.
    @Test func deviatesFromFewCases() throws {
        let deviations = try CacheCase.all().filter { CacheCase.deviations[$0.id] != nil }
        #expect(deviations.count == CacheCase.deviations.count)
        #expect(deviations.count { $0.kind == .required } == 2)
        #expect(deviations.count { $0.kind == .optimal } == 6)
    }

    /// A case whose script does not fit the cache's requests is noticed.
    @Test func noticesDeviations() throws {
        let test = try #require(try CacheCase.all().first { $0.id == "freshness-max-age-stale" })
        var player = CacheCasePlayer(test)
        var cache = CacheSimulation(now: Self.date)
        for index in test.requests.indices {
            let (origin, now) = (player.origin, cache.now)
            player.take(cache.perform(player.request(at: index)) { origin.react(to: $0, at: now) })
        }
        // Without the pause, the response is fresh.
        #expect(player.verdict == .fails("response 2 is from the cache"))
    }
}

extension CacheCase {
    /// The cases that are not followed, with the reason.
    static let deviations = Dictionary(
        uniqueKeysWithValues: deviationsByReason.flatMap { reason, ids in ids.map { ($0, reason) } })

    private static let deviationsByReason = [
        // Required.
        "A cookie is not stored: it would be set again after the server has removed it.": [
            "headers-store-Set-Cookie", "headers-store-Set-Cookie2", "304-etag-update-response-Set-Cookie",
            "304-etag-update-response-Set-Cookie2",
        ],
        // Optimal.
        "Fields that differ in more than their form select no response (RFC 9111, section 4.1).": [
            "vary-normalise-lang-select"
        ],
        "Parts are not stored. Those of the cases are not as long as their Content-Range says.": [
            "partial-store-partial-reuse-partial", "partial-store-partial-reuse-partial-byterange",
            "partial-store-partial-reuse-partial-absent", "partial-store-partial-reuse-partial-suffix",
        ],
        "A part without a strong validator cannot be completed (RFC 9111, section 3.4).": [
            "partial-store-partial-complete"
        ],
        // For information.
        "Numbers that contradict each other make a response stale (RFC 9111, section 4.2.1).": [
            "freshness-max-age-two-fresh-stale-sameline", "freshness-max-age-two-fresh-stale-sepline",
            "freshness-max-age-two-stale-fresh-sameline", "freshness-max-age-two-stale-fresh-sepline",
        ],
        "A malformed number makes a response stale (RFC 9111, section 4.2.1).": [
            "freshness-max-age-decimal-zero", "freshness-max-age-decimal-five", "freshness-max-age-a100",
            "freshness-max-age-100a",
        ],
        "Space around an equals sign is ignored.": [
            "freshness-max-age-space-before-equals", "freshness-max-age-space-after-equals",
        ],
        "A malformed Age is ignored (RFC 9111, section 5.1).": [
            "age-parse-parameter", "age-parse-numeric-parameter",
        ],
        "A stale response is used only if the server, the request or the program allows it.": [
            "stale-close", "stale-503", "stale-warning-stored", "stale-warning-become",
        ],
        "A tenth of the time since the last modification has passed.": [
            "heuristic-delta-5", "heuristic-delta-10", "heuristic-delta-30",
        ],
        "A response that is stale when it arrives, and cannot be validated, is not stored.": ["ccreq-max-stale-age"],
        "A request's Pragma counts without a Cache-Control.": ["pragma-request-no-cache"],
        "The validators of other variants are not sent.": ["conditional-etag-vary-headers-mismatch"],
        "An entity tag is sent back as it came.": [
            "conditional-etag-strong-generate-unquoted", "conditional-etag-forward-unquoted",
        ],
        "Fields that describe the stored bytes do not change (RFC 9111, section 3.2).": [
            "304-etag-update-response-Content-Encoding", "304-etag-update-response-Content-Range",
        ],
        "A 304 with another entity tag is not about what is stored (RFC 9111, section 4.3.4).": [
            "304-etag-update-response-ETag"
        ],
        "The response to a HEAD is delivered as it is.": ["head-200-retain"],
        "An error in response to a HEAD says nothing about what is stored.": ["head-410-update"],
        "A response of the server has no Age of the cache.": ["other-age-delay"],
    ]
}
