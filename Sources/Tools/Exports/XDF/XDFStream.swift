// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What the header of a stream says; `XDFMeasure` fills it, `XDFWriter` writes it.
///
/// Source: github.com/sccn/xdf/wiki/Meta-Data, and the names of Lab Streaming Layer's stream info.
package struct XDFStream: Sendable {
    package let name: String
    /// `Markers` for moments with a text, which readers look for.
    package let type: String
    /// Samples per second that were asked for; 0 for moments that come when they come.
    package let rate: Double
    /// Empty units where there are none.
    package let channels: [(label: String, unit: String)]
    package var isText = false
    /// What else is worth knowing, in order; the names are XML names.
    package var facts: [(name: String, value: String)] = []

    /// Moments with a text each.
    package static func markers(_ name: String, facts: [(name: String, value: String)] = []) -> XDFStream {
        XDFStream(
            name: name, type: "Markers", rate: 0, channels: [(label: name, unit: "")], isText: true, facts: facts)
    }

    var xml: String {
        let channels = channels.map {
            "<channel>\(Self.element("label", $0.label))\(Self.element("unit", $0.unit))</channel>"
        }
        let facts = facts.map { Self.element($0.name, $0.value) }.joined()
        // Without this, programs that read the file spread the samples evenly over gaps.
        let drops = isText ? "" : "<synchronization><can_drop_samples>true</can_drop_samples></synchronization>"
        return "<?xml version=\"1.0\"?><info>" + Self.element("name", name) + Self.element("type", type)
            + "<channel_count>\(channels.count)</channel_count><nominal_srate>\(rate)</nominal_srate>"
            + "<channel_format>\(isText ? "string" : "double64")</channel_format>"
            + "<desc><channels>\(channels.joined())</channels>\(drops)\(facts)</desc></info>"
    }

    private static func element(_ name: String, _ value: String) -> String {
        value.isEmpty ? "" : "<\(name)>\(Markup.escaped(value))</\(name)>"
    }
}
