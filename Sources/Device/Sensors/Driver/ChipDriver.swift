// SPDX-License-Identifier: Apache-2.0

/// A chip of the catalog: its models, and its registers. Where it is and how it is used is in its
/// `chip`.
package protocol ChipDriver: VectorSensor, SendableMetatype {
    /// The chips with these registers; the first is meant where a driver is made without one.
    static var models: [ChipModel] { get }
    var chip: ChipContext { get }
    /// Nothing is sent yet.
    init(chip: ChipContext)
}

extension ChipDriver {
    package static var identity: ChipIdentity { models[0].identity }

    /// The first of its models; see `ChipContext`.
    package init(bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings()) throws(SettingError) {
        self.init(
            chip: try ChipContext(bus: bus, busName: busName, settings: settings, model: Self.models[0]))
    }

    package var bus: any I2CBus { chip.bus }
    package var source: SourceDescription { chip.source }
    package var place: ChipPlace { chip.place }
    package var depth: Int { chip.depth }
    package var watermark: Int { chip.watermark }
    package var hasInterrupt: Bool { chip.hasInterrupt }
}
