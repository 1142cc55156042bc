// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

/// What the server keeps for everybody is what some chart shows of everybody, and no more: another
/// chart's variables are a participant's own.
@Suite struct ESMiraObservedTests {
    private static func axes(_ name: String) -> String { #"[{"yAxis":{"variableName":"\#(name)"}}]"# }

    @Test(arguments: [("true", ["all"]), ("false", []), ("null", [])] as [(String, [String])])
    func aPersonalChartSharesWhatItShowsOfEverybody(isShown: String, shared: [String]) throws {
        let chart =
            #"{"dataType":1,"displayPublicVariable":\#(isShown),"axisContainer":\#(Self.axes("own")),"publicVariables":\#(Self.axes("all"))}"#
        let study = try JSONReader.value(#"{"personalStatistics":{"charts":[\#(chart)]}}"#)
        let prepared = ESMiraObserved.prepared(study)
        #expect(prepared.shared.variables.map(\.key) == shared)
        let own = prepared.study["personalStatistics"]?["observedVariables"]?.members.map(\.name)
        #expect(own == ["own"])
    }
}
