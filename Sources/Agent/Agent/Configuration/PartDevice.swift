// SPDX-License-Identifier: Apache-2.0
import Device

/// What drives a part of the panel (light, buzzer, vibration): the `device` of its table in the board file, read.
package enum PartDevice<Name: Sendable & Hashable>: Sendable, Hashable, CustomStringConvertible {
    case simulated
    /// A device of that name, which `text` spells in full.
    case named(Name, text: String)

    /// As it could be written in a board file.
    package var description: String {
        switch self {
        case .simulated: BoardDescription.simulated
        case .named(_, let text): text
        }
    }

    package var name: Name? { if case .named(let name, _) = self { name } else { nil } }
}

/// How board files spell the names of lines, where that differs from what `Hardware` reads.
enum PartSpelling {
    private static let joint = " + "
    private static let activeLow = ":active-low"

    /// `gpiochip:LABEL:17` is `gpio:LABEL:17`.
    static func plain(_ text: String) -> String {
        joined(text) { $0.hasPrefix("gpiochip:") ? "gpio:" + $0.dropFirst("gpiochip:".count) : $0 }
    }

    /// The same lines, active low; those that are already stay so. Nil where one of the parts is no line.
    static func activeLow(_ text: String) -> String? {
        let parts = text.split(separator: joint).map(String.init)
        guard parts.allSatisfy({ (try? GPIOLineName(parsing: $0)) != nil }) else { return nil }
        return joined(text) { $0.hasSuffix(activeLow) ? $0 : $0 + activeLow }
    }

    private static func joined(_ text: String, _ change: (String) -> String) -> String {
        text.split(separator: joint, omittingEmptySubsequences: false).map { change(String($0)) }
            .joined(separator: joint)
    }
}

extension ConfigTable {
    /// The device at `key`, read by `read`, active low where `active_low` says so; nil where it is absent.
    func part<Name: Sendable & Hashable>(
        _ key: String, _ read: (String) throws(DeviceNameError) -> Name
    ) throws -> PartDevice<Name>? {
        let isActiveLow = try boolean("active_low") ?? false
        guard let written = try string(key) else { return nil }
        let text = PartSpelling.plain(written)
        guard text != BoardDescription.simulated else { return .simulated }
        let name: Name
        do throws(DeviceNameError) { name = try read(text) } catch { throw self.error(key, error) }
        guard isActiveLow else { return .named(name, text: text) }
        guard let low = PartSpelling.activeLow(text) else {
            throw error(
                "active_low", "only a GPIO line can be active low, and '\(written)' is not one", remedy: "remove it")
        }
        do throws(DeviceNameError) { return .named(try read(low), text: low) } catch {
            throw self.error(key, error)
        }
    }
}

extension PartDevice<LightName> {
    var lines: [GPIOLineName] {
        name?.parts.compactMap { if case .line(let line) = $0 { line } else { nil } } ?? []
    }
    /// It has colours, whatever the file says.
    var hasColours: Bool {
        guard let parts = name?.parts else { return false }
        if parts.count == 3 { return true }
        return parts.contains { if case .pixels = $0 { true } else { false } }
    }
}

extension PartDevice<BuzzerName> {
    /// The line it is driven by; nil for a PWM channel.
    var line: GPIOLineName? { if case .line(let line)? = name { line } else { nil } }
}
