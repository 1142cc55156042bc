// SPDX-License-Identifier: Apache-2.0
import Base

extension RecordingDescription.ChannelNote {
    /// A channel with numbers in the file as the source counts them.
    init(_ channel: Channel) {
        self.init(
            name: channel.name, unit: channel.unit.rawValue, scale: channel.scale, offset: channel.offset,
            resolution: channel.resolution)
    }

    /// A channel with numbers in the file that count steps of `scale`; with `decimals` they are the unit
    /// itself (`scale` is 1), of which the last decimal is the resolution.
    init(_ channel: Channel, inSteps scale: Double, decimals: Int? = nil) {
        let step = decimals.map { (0..<$0).reduce(1.0) { value, _ in value / 10 } } ?? scale
        self.init(
            name: channel.name, unit: channel.unit.rawValue, scale: scale, offset: 0,
            resolution: max(channel.resolution, step), sensorScale: abs(channel.scale))
    }
}
