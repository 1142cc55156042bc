// SPDX-License-Identifier: Apache-2.0

/// A driver for one or more chips of the catalog that share their registers. Where its chip is and how
/// it is used is in `chip`.
package protocol ChipDriver: VectorSensor, SendableMetatype {
    /// The chips with these registers; the first is the default.
    static var models: [ChipModel] { get }
    var chip: ChipContext { get }
    /// Nothing is sent yet.
    init(chip: ChipContext)
}

extension ChipDriver {
    package static var identity: ChipIdentity { models[0].identity }

    /// A driver of the first model; throws what `ChipContext` throws.
    package init(bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings()) throws(SettingError) {
        self.init(chip: try ChipContext(bus: bus, busName: busName, settings: settings, model: Self.models[0]))
    }

    package var bus: any I2CBus { chip.bus }
    package var source: SourceDescription { chip.source }
    package var place: ChipPlace { chip.place }
    package var depth: Int { chip.depth }
    package var watermark: Int { chip.watermark }
    package var hasInterrupt: Bool { chip.hasInterrupt }
}
