// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit

/// The files of a light and a buzzer as the kernel shows them in sysfs, in a separate folder: `SimulatedBoard`
/// makes it, `DemoPicture` draws from it.
///
/// The real code writes them; `read` says what a person would see and hear. Any thread may read.
package final class SimulatedPanelFolder: Sendable {
    package struct State: Sendable, Hashable {
        /// Red, green, blue, each 0...255; a light of one colour has three equal
        /// parts. All 0 = dark.
        package var red: Int
        package var green: Int
        package var blue: Int
        /// Hz; nil = silent.
        package var tone: Double?

        package init(red: Int = 0, green: Int = 0, blue: Int = 0, tone: Double? = nil) {
            self.red = red
            self.green = green
            self.blue = blue
            self.tone = tone
        }

        package var isLit: Bool { red > 0 || green > 0 || blue > 0 }
    }

    /// The folder that holds everything; it goes with this object.
    package var path: String { folder.path }
    /// In the place of `/sys/class/leds/NAME`.
    package let light: String
    /// In the place of `/sys/class/pwm/pwmchipN/pwmN`.
    package let buzzer: String
    private let folder: TemporaryFolder

    /// Makes the files in a new folder under `parent`; a light of three colours, or of one.
    package init(parent: String = TemporaryFolder.place, lightName: String = "prompt", isColoured: Bool = true) throws {
        folder = try TemporaryFolder("panel", in: parent)
        light = "\(folder.path)/leds/\(lightName)"
        buzzer = "\(folder.path)/pwm0"
        for folder in [light, buzzer] { try File.makeFolder(folder) }
        var contents = [
            ("\(light)/brightness", "0\n"), ("\(light)/max_brightness", "255\n"), ("\(buzzer)/period", "0\n"),
            ("\(buzzer)/duty_cycle", "0\n"), ("\(buzzer)/enable", "0\n"),
        ]
        if isColoured {
            contents += [("\(light)/multi_intensity", "0 0 0\n"), ("\(light)/multi_index", "red green blue\n")]
        }
        for (file, text) in contents {
            try Descriptor(opening: file, flags: O_WRONLY | O_CREAT).write(Array(text.utf8))
        }
    }

    package func read() -> State {
        let brightness = min(max(numbers(light, "brightness").first ?? 0, 0), 255)
        let parts = numbers(light, "multi_intensity")
        let index = words(light, "multi_index")
        func part(_ name: String) -> Int {
            guard !index.isEmpty else { return brightness }
            guard let place = index.firstIndex(of: name), place < parts.count else { return 0 }
            return min(max(parts[place], 0), 255) * brightness / 255
        }
        return State(red: part("red"), green: part("green"), blue: part("blue"), tone: tone)
    }

    /// The channel sounds when it is enabled and neither always low nor always high.
    private var tone: Double? {
        let period = numbers(buzzer, "period").first ?? 0
        let duty = numbers(buzzer, "duty_cycle").first ?? 0
        guard numbers(buzzer, "enable").first == 1, duty > 0, duty < period else { return nil }
        return 1e9 / Double(period)
    }

    private func numbers(_ folder: String, _ name: String) -> [Int] { words(folder, name).compactMap { Int($0) } }

    /// The words of the first line: like sysfs, a write is a whole value, whatever a plain file
    /// still holds behind it.
    private func words(_ folder: String, _ name: String) -> [String] {
        ((try? AttributeFolder(path: folder).read(name)) ?? "").split(separator: " ").map(String.init)
    }
}
