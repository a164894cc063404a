import Testing

@testable import StreamsHTTP

@Suite struct SettingsTests {
    /// A group of options with another one inside. Each option is declared once, as a property of the values.
    private struct Outer: OptionGroup, Hashable {
        struct Values: Hashable, Sendable {
            var name = "default"
            var limit: Int? = 10
            var inner = Inner()
        }

        var settings = Settings(Values())
    }

    private struct Inner: OptionGroup, Hashable {
        struct Values: Hashable, Sendable {
            var first = 1
            var second = 2
        }

        var settings = Settings(Values())
    }

    private func outer(_ change: (inout Settings<Outer.Values>) -> Void) -> Outer {
        var outer = Outer()
        change(&outer.settings)
        return outer
    }

    @Test func hasItsDefaults() {
        let values = Outer().settings.values
        #expect(values == Outer.Values())
        #expect(values.name == "default" && values.limit == 10 && values.inner.settings.second == 2)
    }

    @Test func mergesOptionByOption() {
        let defaults = outer {
            $0.name = "client"
            $0.limit = nil
            $0.inner.settings.first = 3
        }
        let merged = outer {
            $0.limit = 10
            $0.inner.settings.second = 4
        }.merging(defaults: defaults)
        #expect(merged.settings.name == "client" && merged.settings.limit == 10)
        #expect(merged.settings.inner.settings.first == 3 && merged.settings.inner.settings.second == 4)
    }

    @Test func mergedOptionsAreSet() {
        let merged = outer { $0.name = "request" }.merging(defaults: outer { $0.limit = 7 })
        #expect(merged.settings.isSet(\.name) && merged.settings.isSet(\.limit) && !merged.settings.isSet(\.inner))
        let all = merged.merging(defaults: outer { ($0.name, $0.limit) = ("other", 8) })
        #expect(all == merged)
    }

    @Test func aReplacedGroupKeepsNoEarlierAssignment() {
        let merged = outer {
            $0.inner.settings.first = 5
            $0.inner = Inner()
        }.merging(defaults: outer { $0.inner.settings.first = 6 })
        #expect(merged.settings.inner.settings.first == 6)
    }

    @Test func comparesByValueAlone() {
        let setToDefault = outer { $0.name = "default" }
        #expect(setToDefault == Outer() && setToDefault.hashValue == Outer().hashValue)
        #expect(outer { $0.inner.settings.first = 7 } != Outer())
    }

    @Test func copiesAreIndependent() {
        let original = outer { $0.name = "original" }
        var copy = original
        copy.settings.name = "copy"
        copy.settings.inner.settings.second = 8
        #expect(original.settings.name == "original" && original.settings.inner.settings.second == 2)
        #expect(copy.settings.name == "copy" && copy.settings.inner.settings.second == 8)
    }
}
